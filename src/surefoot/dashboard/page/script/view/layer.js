/** One layer, or one parameter: its curves and histograms. */
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { make, replace } from "../dom.js";
import { HistogramMap } from "../heat/histogram.js";
import { hists } from "../source.js";

const KINDS = [
  ["grad_norm", "gradient norm"],
  ["update_ratio", "update ratio"],
  ["param_norm", "norm"],
  ["grad_zeros", "share of zero gradients"],
  ["grad_nonfinite", "share not finite"],
];

/** `name` is a parameter, or a module whose parameters are meant. */
export function layerPanel(board, run, rank) {
  const element = make("div", { class: "sections" });
  let shown = null;
  let maps = new Map();
  const cards = [];

  function clear() {
    for (const card of cards.splice(0)) board.remove(card);
    for (const map of maps.values()) map.close();
    maps = new Map();
  }

  async function fill(name, map) {
    const { from, to } = board;
    try {
      map.set(await hists(run.name, { name, rank, from, to, max: 60 }));
    } catch (error) {
      map.fail(error);
    }
  }

  return {
    element,
    show(name, onClose) {
      if (name === shown) return;
      clear();
      shown = name;
      if (name === null) return replace(element);
      const has = (full, kind) => run.series.some((one) => one.name === full && one.rank === rank && one.kind === kind);
      const params = [
        ...new Set(
          run.series.filter((one) => one.kind === "scalar" && one.rank === rank).map((one) => paramOf(one.name)),
        ),
      ].filter(Boolean);
      const own = params.filter((param) => param === name || param.startsWith(`${name}.`));
      for (const [kind, title] of KINDS) {
        const curves = own
          .filter((param) => has(`${kind}/${param}`, "scalar"))
          .map((param) => new Curve({ run: run.name, rank, name: `${kind}/${param}`, label: param, start: run.start }));
        if (curves.length) cards.push(new ChartCard(board, { title: `${name}: ${title}`, curves }));
      }
      for (const param of own) {
        for (const kind of ["gradients", "weights"]) {
          if (has(`${kind}/${param}`, "hist")) maps.set(`${kind}/${param}`, new HistogramMap(`${kind} of ${param}`));
        }
      }
      const close = make("button", { type: "button", class: "small", on: { click: onClose } }, "Close");
      const grid = make(
        "div",
        { class: "charts" },
        cards.map((card) => board.add(card)),
        [...maps.values()].map((map) => map.element),
      );
      replace(element, make("section", {}, make("div", { class: "section-head" }, make("h2", {}, name), close), grid));
      for (const [full, map] of maps) fill(full, map);
    },
    /** Histograms that grew. */
    grew(names) {
      for (const name of names ?? []) if (maps.has(name)) fill(name, maps.get(name));
    },
    reload() {
      for (const [name, map] of maps) fill(name, map);
    },
    close: clear,
  };
}

function paramOf(name) {
  const at = name.indexOf("/");
  return at > 0 && KINDS.some(([kind]) => kind === name.slice(0, at)) ? name.slice(at + 1) : null;
}
