/** Which charts a run has: series that belong together share one. */
import { bytes } from "../number.js";

const TITLES = {
  loss: "Loss",
  lr: "Learning rate",
  grad_norm: "Gradient norm",
  update_ratio: "Update ratio",
  items_per_second: "Items per second",
  step_seconds: "Seconds a step",
  memory_bytes: "Memory",
  clip_factor: "Clip factor",
  param_norm: "Parameter norm",
  update_norm: "Update norm",
  descent: "Descent",
  overshoot: "Overshoot",
  loss_factor: "Factor of the loss",
  noise_scale: "Gradient noise scale",
  noise_signal: "Gradient signal",
  noise_trace: "Gradient noise",
  update_items: "Samples an update",
  grad_scale: "Gradient scale",
  num_skipped: "Skipped steps",
};
const MAIN = ["loss", "lr", "grad_norm", "update_ratio", "items_per_second"];
const MEASURED = [
  "step_seconds",
  "memory_bytes",
  "clip_factor",
  "param_norm",
  "update_norm",
  "descent",
  "overshoot",
  "loss_factor",
  "noise_scale",
  "noise_signal",
  "noise_trace",
  "update_items",
  "grad_scale",
  "num_skipped",
];
const BY_LAYER = ["grad_norm", "update_ratio", "param_norm", "grad_zeros", "grad_nonfinite"];
const GAPS = ["items_per_second", "step_seconds"]; // the first sample has no time before it: NaN there is no news
const OPTIMIZER = /^optimizer-\d+\//;
const SPLIT = /^(train|training|val|valid|validation|test|eval)[/_]/;

export const LAYER_TITLES = {
  grad_norm: "Gradient norm by parameter",
  update_ratio: "Update ratio by parameter",
  param_norm: "Norm by parameter",
  grad_zeros: "Share of zero gradients by parameter",
  grad_nonfinite: "Share of gradients that are not finite",
};

/** [{ title, charts: [{ title, names, format }], isFolded }] in the order of the page. */
export function planSections(names) {
  const charts = new Map();
  const layers = new Map();
  for (const name of names) {
    const kind = name.split("/", 1)[0];
    const isLayers = BY_LAYER.includes(kind) && name.length > kind.length;
    const group = isLayers ? layers : charts;
    const key = isLayers ? name : chartOf(name);
    if (!group.has(key)) group.set(key, []);
    group.get(key).push(name);
  }
  const chart = (key, own) => ({
    key,
    title: TITLES[key] ?? key,
    names: own,
    format: key === "memory_bytes" ? bytes : undefined,
    hasGaps: GAPS.includes(key),
  });
  const pick = (keys) => keys.filter((key) => charts.has(key)).map((key) => chart(key, charts.get(key)));
  const own = [...charts.keys()].filter((key) => !MAIN.includes(key) && !MEASURED.includes(key)).sort(naturally);
  const sections = [
    { title: "Training", charts: pick(MAIN) },
    ...byPrefix(own).map(([title, keys]) => ({ title, charts: pick(keys) })),
    { title: "Measured", charts: pick(MEASURED) },
  ];
  for (const kind of BY_LAYER) {
    const some = [...layers.keys()].filter((name) => name.startsWith(`${kind}/`));
    sections.push({ title: LAYER_TITLES[kind], charts: some.map((name) => chart(name, [name])), isFolded: true });
  }
  return sections.filter((section) => section.charts.length);
}

/** What the script logged: "gan/d" and "gan/g" in a section of their own, called "gan"; first those without company. */
function byPrefix(keys) {
  const groups = Map.groupBy(keys, (key) => (key.includes("/") ? key.slice(0, key.indexOf("/")) : ""));
  const isAlone = (prefix) => !prefix || groups.get(prefix).length < 2;
  const alone = keys.filter((key) => isAlone(key.includes("/") ? key.slice(0, key.indexOf("/")) : ""));
  return [["Logged by the script", alone], ...[...groups].filter(([prefix]) => !isAlone(prefix))];
}

/** Charts whose series have all the words. */
export function searchCharts(sections, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (chart) =>
    words.every(
      (word) =>
        chart.title.toLowerCase().includes(word) || chart.names.some((name) => name.toLowerCase().includes(word)),
    );
  return sections.flatMap((section) => section.charts).filter(fits);
}

/** "loss" and "val/loss" are drawn together, what is measured of several optimizers, and the rates of all groups. */
function chartOf(name) {
  const measured = name.replace(OPTIMIZER, "");
  if (measured.startsWith("lr/")) return "lr";
  if (MAIN.includes(measured) || MEASURED.includes(measured)) return measured;
  return name.replace(SPLIT, "");
}

function naturally(one, two) {
  return one.localeCompare(two, "en", { numeric: true });
}
