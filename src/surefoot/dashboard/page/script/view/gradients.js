/** Gradient flow: layers × steps, and the curves of the layer one points at. */
import { Board, boardControls } from "../chart/board.js";
import { make, replace } from "../dom.js";
import { empty, failure } from "../empty.js";
import { Grid } from "../heat/grid.js";
import { Heatmap } from "../heat/heatmap.js";
import { change } from "../link.js";
import { short } from "../number.js";
import { heatmap } from "../source.js";
import { layerPanel } from "./layer.js";

const COLUMNS = 240;
const AGAIN_MS = 10_000; // activations are part of facts, not of the stream
const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;

export const KINDS = {
  grad_norm: {
    text: "Gradient norm",
    unit: "Norm of the gradient before clipping",
    isLog: true,
    missing: "no gradient",
  },
  update_ratio: { text: "Update ratio", unit: "Size of the update, divided by that of the weights", isLog: true },
  param_norm: { text: "Weight norm", unit: "Norm of the weights", isLog: true },
  grad_zeros: {
    text: "Zero gradients",
    unit: "Share of gradient elements that are zero",
    fixed: [0, 1],
    format: percent,
  },
  act_mean: { text: "Activation mean", unit: "Mean of the layer's outputs" },
  act_spread: { text: "Activation spread", unit: "Standard deviation of the layer's outputs", isLog: true },
  act_zeros: { text: "Activation zeros", unit: "Share of outputs that are zero", fixed: [0, 1], format: percent },
  act_flat: {
    text: "Saturation",
    unit: "Share of outputs in the flat part of the activation",
    fixed: [0, 1],
    format: percent,
  },
};

export function showGradients(place, run, query) {
  const board = new Board(query, { extent: (axis) => run.extent(axis), marks: () => run.marks() });
  const controls = boardControls(query);
  const [rank] = run.ranksOf(query);
  const kind = make(
    "select",
    { "aria-label": "What is shown" },
    Object.entries(KINDS).map(([name, { text }]) => make("option", { value: name }, text)),
  );
  kind.addEventListener("change", () => change({ of: kind.value === "grad_norm" ? null : kind.value }));
  const find = make("input", {
    type: "search",
    placeholder: "Filter layers…",
    "aria-label": "Filter layers",
    value: query.get("find"),
  });
  find.addEventListener("input", () => change({ find: find.value || null }));
  const content = make("div", { class: "heat-place" });
  const panel = layerPanel(board, run, rank);
  place.append(make("div", { class: "toolbar" }, kind, find, controls.element), content, panel.element);

  const open = (layer) => change({ layer: layer === query.get("layer") ? null : layer });
  const map = new Heatmap({
    label: "Heatmap",
    describe: (value) => (KINDS[of()].format ?? short)(value),
    on: { row: open, zoom: (from, to) => board.zoom(from, to), reset: () => board.zoom(null, null) },
  });
  let grid = null; // all rows; what is shown may be fewer
  let asked = "";
  let timer = null;

  function of() {
    return KINDS[query.get("of")] ? query.get("of") : "grad_norm";
  }

  async function load() {
    const key = [of(), rank, board.from, board.to].join();
    if (key === asked) return draw();
    asked = key;
    try {
      const answer = await heatmap(run.name, {
        of: of(),
        rank,
        from: board.from,
        to: board.to,
        buckets: COLUMNS,
      });
      if (asked !== key) return;
      grid = new Grid(answer);
      draw();
    } catch (error) {
      replace(content, failure(error));
    }
  }

  function draw() {
    if (!grid) return;
    kind.value = of();
    if (!grid.rows.length || !grid.steps.length) return replace(content, nothing());
    const text = (query.get("find") ?? "").toLowerCase();
    const wanted = grid.rows.map((name, row) => [name, row]).filter(([name]) => name.toLowerCase().includes(text));
    if (!wanted.length) return replace(content, empty("No layer fits", `None has “${text}” in its name.`));
    if (map.element.parentElement !== content) replace(content, map.element);
    const shown = new Grid({
      rows: wanted.map(([name]) => name),
      steps: grid.steps,
      last_step: grid.last,
      values: wanted.map(([, row]) => grid.values[row]),
    });
    map.set(shown, KINDS[of()]);
    map.choose(query.get("layer"));
  }

  function nothing() {
    if (of().startsWith("act_"))
      return empty(
        "No activations were measured",
        "Recorded steps have them, for linear, convolution, batch-norm, sigmoid and tanh modules.",
      );
    if (!run.meta.probes)
      return empty("Nothing was watched", "This run only logged values. To measure layers, run:", "surefoot run train.py");
    return empty(
      "Nothing was measured by layer",
      "surefoot measures within its budget; give it more with:",
      "surefoot run --overhead 0.1 train.py",
    );
  }

  function grown({ rank: from, series, hists }) {
    if (from !== rank) return;
    if (series) board.rows(run.name, from, series);
    panel.grew(hists);
    if (!grid || board.to !== null) return;
    if (of().startsWith("act_")) return again();
    const prefix = `${of()}/`;
    const own = Object.fromEntries(
      Object.entries(series ?? {})
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, rows]) => [name.slice(prefix.length), of() === "grad_norm" ? withMissing(name, series) : rows]),
    );
    if (Object.keys(own).some((name) => !grid.rows.includes(name))) return again(1000);
    if (grid.append(own)) draw();
  }

  function again(wait = AGAIN_MS) {
    timer ??= setTimeout(() => {
      timer = null;
      asked = "";
      load();
    }, wait);
  }

  const off = run.on("rows", grown);
  const showLayer = () => panel.show(query.get("layer"), () => change({ layer: null }));
  load();
  showLayer();

  return {
    set(now) {
      const before = [board.from, board.to];
      query = now;
      controls.set(now);
      board.set(now);
      if (before[0] !== board.from || before[1] !== board.to) panel.reload();
      load();
      showLayer();
    },
    close() {
      clearTimeout(timer);
      off();
      map.close();
      panel.close();
      board.close();
    },
  };
}

/** As the server has it: NaN is no gradient where the weights moved to nothing that is not finite. */
function withMissing(name, series) {
  const { steps, values } = series[name];
  const moved = series[name.replace("grad_norm/", "update_ratio/")];
  const ratios = new Map((moved?.steps ?? []).map((step, i) => [step, Number(moved.values[i])]));
  const isMissing = (value, i) => Number.isNaN(Number(value)) && Number.isFinite(ratios.get(steps[i]));
  return { steps, values: values.map((value, i) => (isMissing(value, i) ? "-Infinity" : value)) };
}
