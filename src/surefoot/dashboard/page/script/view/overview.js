/** The curves of a run, and what the run was. */
import { Board, boardControls } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { make, replace } from "../dom.js";
import { empty } from "../empty.js";
import { change } from "../link.js";
import { count } from "../number.js";
import { aboutRun } from "./about.js";
import { outcome } from "./outcome.js";
import { planSections, searchCharts } from "./plan.js";

const AT_ONCE = 48; // charts placed before one asks for more; only those in view are drawn

export function showOverview(place, run, query) {
  const board = new Board(query, { extent: (axis) => run.extent(axis), marks: () => run.marks() });
  const controls = boardControls(query);
  const find = make("input", {
    type: "search",
    placeholder: "Search series…",
    "aria-label": "Search series",
    value: query.get("find"),
  });
  find.addEventListener("input", () => change({ find: find.value || null }));
  const charts = make("div", { class: "sections" });
  const about = aboutRun(run);
  const first = outcome(run);
  place.append(
    first.element,
    make("div", { class: "toolbar" }, find, controls.element),
    make("div", { class: "with-aside" }, charts, about.element),
  );

  let drawn = null;
  let cards = new Map(); // what is on the page, by what is in it
  let leaving = new Map(); // what was there before
  const unfolded = new Set();
  const off = [
    run.on("rows", ({ rank, series }) => series && board.rows(run.name, rank, series)),
    run.on("series", () => draw(true)),
    run.on("events", () => about.draw()),
    run.findings.onChange(() => board.redraw()),
    first.end,
  ];
  draw();

  function draw(isForced = false) {
    const key = [query.get("find"), query.get("rank"), query.get("open")].join("\n");
    if (drawn === key && !isForced) return;
    drawn = key;
    leaving = cards;
    cards = new Map();
    placeCharts();
    for (const [own, card] of leaving) if (cards.get(own) !== card) board.remove(card);
    leaving = new Map();
  }

  /** Charts that stay are not made, and not asked for, again. */
  function placeCharts() {
    const sections = planSections(names());
    const text = query.get("find") ?? "";
    if (!sections.length)
      return replace(
        charts,
        empty(
          "Nothing is logged yet",
          "Curves appear with the first numbers. A script logs its own with:",
          'sf.log({"loss": loss.item()})',
        ),
      );
    if (text) return replace(charts, results(searchCharts(sections, text), text));
    replace(charts, sections.map(section));
  }

  function names() {
    const ranks = run.ranksOf(query);
    return [
      ...new Set(run.series.filter((one) => one.kind === "scalar" && ranks.includes(one.rank)).map((one) => one.name)),
    ];
  }

  function section({ title, charts: some, isFolded }) {
    if (!isFolded) return make("section", {}, make("h2", {}, title), grid(some));
    const folded = make(
      "details",
      {},
      make("summary", {}, make("h2", {}, title), make("span", { class: "num" }, count(some.length))),
    );
    const unfold = () => folded.children.length === 1 && folded.append(...grid(some));
    if (unfolded.has(title)) {
      folded.open = true;
      unfold();
    }
    folded.addEventListener("toggle", () => {
      unfolded[folded.open ? "add" : "delete"](title);
      if (folded.open) unfold();
    });
    return folded;
  }

  function results(found, text) {
    if (!found.length) return empty("No series fits", `None has “${text}” in its name.`);
    return make(
      "section",
      {},
      make("h2", {}, found.length === 1 ? "1 chart" : `${count(found.length)} charts`),
      grid(found),
    );
  }

  function grid(some) {
    const element = make("div", { class: "charts" });
    const rest = make("p", { class: "more" });
    let num = 0;
    const add = () => {
      element.append(...some.slice(num, num + AT_ONCE).map(cardOf));
      num = Math.min(some.length, num + AT_ONCE);
      replace(
        rest,
        num < some.length
          ? make("button", { type: "button", on: { click: add } }, `Show more (${count(some.length - num)} left)`)
          : null,
      );
    };
    add();
    return [element, rest];
  }

  function cardOf(chart) {
    const key = JSON.stringify([chart.key, chart.names, run.ranksOf(query)]);
    const known = cards.get(key) ?? leaving.get(key) ?? newCard(chart);
    cards.set(key, known);
    return known.element;
  }

  function newCard({ title, names: own, format, hasGaps }) {
    const ranks = run.ranksOf(query);
    const curves = own.flatMap((name) =>
      ranks
        .filter((rank) => has(name, rank))
        .map((rank) => {
          const label = ranks.length > 1 ? `${name} · rank ${rank}` : name;
          return new Curve({ run: run.name, name, rank, label, hasGaps, start: run.start });
        }),
    );
    const card = new ChartCard(board, { title, curves, format });
    board.add(card);
    return card;
  }

  function has(name, rank) {
    return run.series.some((one) => one.name === name && one.rank === rank);
  }

  return {
    set(now) {
      query = now;
      controls.set(now);
      draw();
      board.set(now);
    },
    close() {
      for (const end of off) end();
      board.close();
    },
  };
}
