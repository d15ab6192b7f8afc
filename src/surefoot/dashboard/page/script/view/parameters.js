/** Parameters: tracked values, norms, histograms over time. */
import { Board, boardControls } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { keepingFocus, make, replace } from "../dom.js";
import { empty, failure } from "../empty.js";
import { change } from "../link.js";
import { count, short } from "../number.js";
import { params } from "../source.js";
import { layerPanel } from "./layer.js";

const AT_ONCE = 100;

export function showParameters(place, run, query) {
  const board = new Board(query, { extent: (axis) => run.extent(axis), marks: () => run.marks() });
  const controls = boardControls(query);
  const rank = run.ranksOf(query)[0];
  const find = make("input", {
    type: "search",
    placeholder: "Filter parameters…",
    "aria-label": "Filter parameters",
    value: query.get("find"),
  });
  find.addEventListener("input", () => change({ find: find.value || null }));
  const tracked = make("section", {});
  const list = make("section", {});
  const panel = layerPanel(board, run, rank);
  place.append(
    make("div", { class: "toolbar" }, find, controls.element),
    make("div", { class: "sections" }, tracked, list, panel.element),
  );

  const cards = new Map(); // of tracked parameters
  const cells = new Map(); // of the table, by series
  let numShown = AT_ONCE;

  async function loadTracked() {
    try {
      const answer = await params(run.name, { rank });
      drawTracked(answer.params);
    } catch (error) {
      replace(tracked, failure(error));
    }
  }

  function drawTracked(all) {
    const byName = Map.groupBy ? Map.groupBy(all, (one) => one.name) : grouped(all);
    const head = make("h2", {}, "Tracked values");
    if (!all.length)
      return replace(
        tracked,
        head,
        make(
          "p",
          { class: "hint" },
          "Track chosen elements, about once a second, with ",
          make("code", {}, 'sf.track("fc.bias", "head.weight[0, :4]")'),
          ".",
        ),
      );
    const made = [...byName].map(([name, some]) => {
      const curves = some.map((one) =>
        loaded(new Curve({ run: run.name, rank, name, label: `[${one.place}]`, start: run.start }), one),
      );
      const card = new ChartCard(board, { title: name, curves, isWhole: true });
      cards.set(name, card);
      return board.add(card);
    });
    replace(tracked, head, make("div", { class: "charts" }, made));
  }

  function drawList() {
    const text = (query.get("find") ?? "").toLowerCase();
    const names = paramNames(run, rank);
    const found = names.filter((name) => name.toLowerCase().includes(text));
    if (!names.length)
      return replace(
        list,
        run.meta.probes
          ? empty(
              "No norms were measured",
              "surefoot measures parameters within its budget; give it more with:",
              "surefoot run --overhead 0.1 train.py",
            )
          : empty("Nothing was watched", "This run only logged values. To measure norms, run:", "surefoot run train.py"),
      );
    const rows = found.slice(0, numShown).map(line);
    const head = make(
      "tr",
      {},
      ["Parameter", "Norm", "Update ratio", "Gradient norm"].map((title, i) =>
        make("th", { scope: "col", class: i ? "number" : null }, title),
      ),
    );
    replace(
      list,
      make("h2", {}, `Parameters (${count(found.length)})`),
      make(
        "div",
        { class: "table-frame" },
        make("table", { class: "params" }, make("thead", {}, head), make("tbody", {}, rows)),
      ),
      found.length > numShown
        ? make(
            "p",
            { class: "more" },
            make(
              "button",
              { type: "button", on: { click: more } },
              `Show more (${count(found.length - numShown)} left)`,
            ),
          )
        : null,
    );
  }

  function line(name) {
    const value = (kind) =>
      short(run.series.find((one) => one.name === `${kind}/${name}` && one.rank === rank)?.last_value);
    const open = make(
      "button",
      {
        type: "button",
        class: "link",
        "data-keep": name,
        "aria-pressed": String(query.get("layer") === name),
        on: { click: () => change({ layer: query.get("layer") === name ? null : name }) },
      },
      name,
    );
    const numbers = ["param_norm", "update_ratio", "grad_norm"].map((kind) => {
      const cell = make("td", { class: "number" }, value(kind));
      cells.set(`${kind}/${name}`, cell);
      return cell;
    });
    return make("tr", {}, make("td", {}, open), numbers);
  }

  function more() {
    numShown += AT_ONCE;
    drawList();
  }

  const off = run.on("rows", ({ rank: from, series, params: values, hists }) => {
    if (from !== rank) return;
    if (series) board.rows(run.name, from, series);
    for (const [name, rows] of Object.entries(series ?? {})) {
      if (cells.has(name)) cells.get(name).textContent = short(rows.values.at(-1));
    }
    panel.grew(hists);
    if (values?.length) grow(values);
  });

  function grow(values) {
    if (values.some((one) => !cards.get(one.name)?.curves.some((curve) => curve.label === `[${one.place}]`)))
      return loadTracked();
    for (const one of values) {
      const curve = cards.get(one.name).curves.find((known) => known.label === `[${one.place}]`);
      if (cards.get(one.name).append(curve, { times: one.steps, ...one })) cards.get(one.name).update();
    }
  }

  const showLayer = () => panel.show(query.get("layer"), () => change({ layer: null }));
  loadTracked();
  drawList();
  showLayer();

  return {
    set(now) {
      query = now;
      controls.set(now);
      board.set(now);
      keepingFocus(list, drawList);
      showLayer();
    },
    close() {
      off();
      panel.close();
      board.close();
    },
  };
}

function paramNames(run, rank) {
  const names = run.series
    .filter((one) => one.kind === "scalar" && one.rank === rank && /^(param_norm|grad_norm)\//.test(one.name))
    .map((one) => one.name.slice(one.name.indexOf("/") + 1));
  return [...new Set(names)];
}

function loaded(
  curve,
  {
    steps,
    times,
    values,
    lows = values,
    highs = values,
    nonfinite = [],
    num_nonfinite: num = 0,
    is_exact: isExact = true,
  },
) {
  curve.load({
    steps,
    times: times ?? steps,
    lows,
    highs,
    lasts: values,
    nonfinite,
    num_nonfinite: num,
    is_exact: isExact,
  });
  return curve;
}

function grouped(all) {
  const found = new Map();
  for (const one of all) found.set(one.name, [...(found.get(one.name) ?? []), one]);
  return found;
}
