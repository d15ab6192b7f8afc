/** Runs side by side: curves overlaid, settings that differ, the first step that does. */
import { Board, boardControls } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { curveColour } from "../chart/colour.js";
import { Curve } from "../chart/curve.js";
import { growSeries } from "../chart/grow.js";
import { make, replace } from "../dom.js";
import { empty, failure, waiting } from "../empty.js";
import { change, hrefOf } from "../link.js";
import { Live } from "../live.js";
import { short } from "../number.js";
import * as source from "../source.js";
import { liveBadge, statusBadge } from "../status.js";
import { coloured, colouring, isMean } from "./colouring.js";
import { tellDifferences } from "./difference.js";
import { planSections, searchCharts } from "./plan.js";
import { isOver } from "./run.js";

const AT_ONCE = 48;
const REDRAW_MS = 1000; // series that are new come in swarms

export function showCompare(place, path, query) {
  const content = make("div", {}, waiting());
  place.append(make("div", { class: "page-head" }, make("h1", {}, "Compare")), content);
  let shown = null; // { key, view }

  function set(_, now) {
    query = now;
    const names = [...new Set(query.getAll("run"))];
    const key = names.join("\n");
    if (shown?.key === key) return shown.view.set(query);
    shown?.view.close();
    shown = { key, view: names.length > 1 ? several(content, names, query) : few(content, names) };
  }

  set(path, query);
  return { set, close: () => shown?.view.close() };
}

/** Not enough runs yet: choose two. */
function few(content, names) {
  source.runs().then(
    ({ runs }) => {
      if (runs.length < 2)
        return replace(
          content,
          empty(
            "Two runs are needed",
            "Train twice, with another rate or another seed, and compare the results.",
            "surefoot run train.py",
          ),
        );
      const pick = (chosen) =>
        make(
          "select",
          {},
          runs.map((row) => make("option", { value: row.run, selected: row.run === chosen }, row.run)),
        );
      const newest = runs
        .map((row) => row.run)
        .sort()
        .reverse();
      const [one, two] = [pick(names[0] ?? newest[1]), pick(newest[0] === names[0] ? newest[1] : newest[0])];
      const go = make(
        "button",
        {
          type: "button",
          class: "main",
          on: { click: () => change({ run: [one.value, two.value] }, { isStep: true }) },
        },
        "Compare",
      );
      replace(
        content,
        make("div", { class: "pick-two" }, make("label", {}, "First", one), make("label", {}, "Second", two), go),
      );
    },
    (error) => replace(content, failure(error)),
  );
  return { set() {}, close() {} };
}

function several(content, names, query) {
  const board = new Board(query, { extent });
  const controls = boardControls(query);
  const colours = colouring();
  const find = make("input", {
    type: "search",
    placeholder: "Search series…",
    "aria-label": "Search series",
    value: query.get("find"),
  });
  find.addEventListener("input", () => change({ find: find.value || null }));
  const [legend, charts, differences] = [
    make("ul", { class: "runs-legend" }),
    make("div", { class: "sections" }),
    make("div", { class: "sections" }),
  ];
  const badge = liveBadge();
  badge.show("still");
  let about = []; // of each run
  let drawn = null;
  let live = null;
  let timer = null;
  let isClosed = false;

  replace(content, waiting());
  Promise.all(names.map((name) => source.run(name, { brief: 1 }))).then(
    (answers) => {
      if (isClosed) return;
      about = answers;
      replace(
        content,
        make("div", { class: "compare-head" }, legend, badge.element),
        make("div", { class: "toolbar" }, find, colours.element, controls.element),
        make("div", { class: "with-aside compare" }, charts, differences),
      );
      drawLegend();
      draw();
      tellDifferences(differences, names);
      follow();
    },
    (error) => isClosed || replace(content, failure(error)),
  );

  /** What is still going on, by one stream for all, from where the answers end. */
  function follow() {
    const going = about.filter(({ run: row }) => !isOver(row));
    if (!going.length) return;
    const isRunning = () => about.some(({ run: row }) => row.status === "running");
    const showState = (state) => badge.show(isRunning() || state === "ended" ? state : "still");
    const ofRun = (news) => about.find(({ run: row }) => row.run === (news.run ?? going[0].run.run));
    live = new Live(
      going.map(({ run: row }) => row.run),
      showState,
      going.map(({ cursor }) => cursor).join("!"),
    );
    live.on("rows", (news) => grew(ofRun(news), news));
    live.on("status", (row) => {
      const one = ofRun(row);
      const wasOver = isOver(one.run);
      Object.assign(one.run, row);
      drawLegend();
      showState(live.state);
      if (isOver(one.run) && !wasOver) tellDifferences(differences, names);
      if (about.every(({ run: other }) => isOver(other))) live.end();
    });
  }

  function grew(one, news) {
    const fresh = growSeries(one.series, news);
    if (news.series) board.rows(one.run.run, news.rank, news.series);
    if (!fresh.some((each) => each.rank === 0)) return;
    timer ??= setTimeout(() => {
      timer = null;
      drawn = null;
      draw();
    }, REDRAW_MS);
  }

  function drawLegend() {
    colours.set(query, about);
    const groups = coloured(about, query);
    const numberOf = (place) => groups.find(({ members }) => members.includes(place)).number;
    replace(legend, about.map((one, place) => legendLine(one, numberOf(place))));
  }

  function legendLine({ run: row }, number) {
    const swatch = make("span", { class: "swatch wide" });
    swatch.style.background = curveColour(number);
    const without = () => change({ run: names.filter((name) => name !== row.run) }, { isStep: true });
    return make(
      "li",
      {},
      swatch,
      make("a", { href: hrefOf(["run", row.run]) }, row.run),
      statusBadge(row),
      make("span", { class: "quiet-text" }, `last ${short(row.last_loss)}, best ${short(row.best_loss)}`),
      make(
        "button",
        { type: "button", class: "quiet small", "aria-label": `Take out ${row.run}`, on: { click: without } },
        "✕",
      ),
    );
  }

  function extent(axis) {
    const scalars = about.flatMap(({ series }) => series.filter((one) => one.kind === "scalar" && one.first !== null));
    if (axis === "time" || !scalars.length) return null;
    return [
      scalars.reduce((low, one) => Math.min(low, one.first), Infinity),
      scalars.reduce((high, one) => Math.max(high, one.last), 0),
    ];
  }

  function draw() {
    const text = query.get("find") ?? "";
    const key = JSON.stringify([text, query.get("by"), query.get("mean")]);
    if (drawn === key) return;
    drawn = key;
    board.clear();
    const all = [
      ...new Set(
        about.flatMap(({ series }) =>
          series.filter((one) => one.kind === "scalar" && (one.rank ?? 0) === 0).map((one) => one.name),
        ),
      ),
    ];
    const sections = planSections(all).map((section) => ({ ...section, charts: section.charts.flatMap(apart) }));
    if (text) return replace(charts, grid(searchCharts(sections, text)));
    replace(
      charts,
      sections
        .filter((section) => !section.isFolded)
        .map(({ title, charts: some }) => make("section", {}, make("h2", {}, title), grid(some))),
    );
  }

  /** One series a chart: curves of several runs are enough in one. */
  function apart(chart) {
    return chart.names.map((name) => ({ ...chart, title: chart.names.length > 1 ? name : chart.title, names: [name] }));
  }

  function grid(some) {
    if (!some.length) return empty("No series fits", null);
    return make(
      "div",
      { class: "charts" },
      some.slice(0, AT_ONCE).map(({ title, names: [name], format, hasGaps }) => {
        const curves = coloured(about, query).flatMap((group) => curvesOf(group, name, hasGaps));
        return board.add(new ChartCard(board, { title, curves, format }));
      }),
    );
  }

  /** Of the runs of one colour: a curve each, or one of all. */
  function curvesOf({ key, number, members }, name, hasGaps) {
    const having = members.map((place) => about[place]).filter(({ series }) => series.some((one) => one.name === name));
    if (!having.length) return [];
    const made = (given) => Object.assign(new Curve({ name, hasGaps, ...given }), { number });
    if (isMean(query)) return [made({ run: null, runs: having.map(({ run: row }) => row.run), label: `${key} (${having.length})` })];
    return having.map(({ run: row }) =>
      made({ run: row.run, label: labelOf(row.run, names), start: Date.parse(row.started) / 1000 || 0 }),
    );
  }

  return {
    set(now) {
      query = now;
      controls.set(now);
      if (about.length) {
        drawLegend();
        draw();
      }
      board.set(now);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      live?.close();
      board.close();
    },
  };
}

/** Names begin with the time of the start: the end tells runs of one script apart. */
function labelOf(name, names) {
  const parts = name.split("-");
  const tail = parts.slice(2).join("-");
  return tail && names.filter((other) => other.endsWith(tail)).length === 1 ? tail : name;
}
