/** All there is to a stage: its line, its settings, its tables. */
import { make, terms } from "../dom.js";
import { severityBadge } from "../status.js";
import { lineOf, nameOf, rates, summary, wiringText } from "./summary.js";
import { DataTable } from "./table.js";
import { duration, memory, norm, number, shape, shapes, share, values } from "./word.js";

/** { element, set(query) } */
export function detail(stage, alike, trace, source, query) {
  const { what, change } = summary(stage, trace);
  const line = lineOf(stage, trace, source);
  const tables = tablesOf(stage, alike).map(([title, columns, rows]) => new DataTable(title, columns, rows, query));
  const element = make(
    "section",
    { class: `trace-detail kind-${stage.kind}`, "aria-label": `Stage: ${stage.kind}` },
    make(
      "h2",
      {},
      make("span", { class: "stage-kind" }, stage.kind),
      alike.length > 1 ? `, the first of ${alike.length} in a row` : "",
    ),
    make("p", {}, what),
    line ? make("p", { class: "place" }, line.at, stage.site.function ? ` in ${stage.site.function}` : "") : null,
    line?.text ? make("pre", { tabindex: "0", "aria-label": "Source" }, line.text) : null,
    change
      ? make(
          "p",
          { class: "stage-change" },
          make("span", { class: "quiet-text" }, `${change.of} `),
          `${change.before} → ${change.after}`,
        )
      : null,
    (stage.findings ?? []).map(finding),
    (MORE[stage.kind] ?? (() => null))(stage, trace),
    tables.map((table) => table.element),
  );
  return { element, set: (now) => tables.forEach((table) => table.set(now)) };
}

/** "error[rule] message" */
export function finding(text) {
  const [, severity, rule, message] = /^(\w+)\[([\w-]+)\] ([\s\S]*)$/.exec(text) ?? [null, "note", "", text];
  const known = ["error", "warning", "note"].includes(severity) ? severity : "note";
  return make(
    "p",
    { class: `stage-finding ${known}` },
    severityBadge(known),
    " ",
    make("strong", {}, rule),
    " ",
    message,
  );
}

const PARAMETER = { name: "name", text: "Parameter", of: (row) => row.name, isName: true, isWide: true };
const SHAPE = { name: "shape", text: "Shape", of: (row) => shape(row.shape) };
const numeric = (name, text, show = (row) => number(row[name]), of = (row) => row[name]) => ({
  name,
  text,
  of,
  show,
  isNumber: true,
});

const ITEMS = [
  { name: "name", text: "Part", of: (row) => row.name || "whole", isName: true },
  { name: "shape", text: "Shape", of: (row) => (row.tensor ? shape(row.tensor.shape) : row.kind) },
  { name: "dtype", text: "Type", of: (row) => row.tensor?.dtype ?? "" },
  { name: "device", text: "Device", of: (row) => row.tensor?.device ?? "" },
  ...["lowest", "highest", "mean", "spread"].map((name) =>
    numeric(
      name,
      title(name),
      (row) => (row.tensor ? number(row.tensor[name]) : ""),
      (row) => row.tensor?.[name],
    ),
  ),
  numeric(
    "num_bad",
    "Not finite",
    (row) => String(row.tensor?.num_bad ?? ""),
    (row) => row.tensor?.num_bad,
  ),
  { name: "values", text: "Values", of: (row) => values(row.tensor?.values, row.tensor?.shape), isWide: true },
];

const CALLS = [
  { name: "name", text: "Module", of: (row) => row.name, show: moduleName, isName: true, isWide: true },
  { name: "module", text: "Kind", of: (row) => row.module, isName: true },
  { name: "given", text: "In", of: (row) => shapes(row.given) },
  { name: "output", text: "Out", of: (row) => shapes(row.output) },
  numeric("mean", "Mean"),
  numeric("spread", "Spread"),
  numeric("num_bad", "Not finite", (row) =>
    row.num_bad ? make("strong", { class: "has-errors" }, String(row.num_bad)) : "0",
  ),
  numeric("seconds", "Time", (row) => duration(row.seconds)),
  numeric("num_bytes", "Memory", (row) => memory(row.num_bytes)),
];

const GRADIENTS = [
  PARAMETER,
  SHAPE,
  numeric("before", "Before", (row) => norm(row.before)),
  numeric("after", "After", (row) => norm(row.after)),
  numeric("moved", "Changed by"),
  { name: "sources", text: "From backward", of: (row) => row.sources.join(", ") },
  { name: "values", text: "Values", of: twoValues, isWide: true },
];

const WEIGHTS = [
  PARAMETER,
  SHAPE,
  numeric("gradient", "Gradient", (row) => norm(row.gradient)),
  numeric("before", "Norm before"),
  numeric("after", "After"),
  numeric("moved", "Moved"),
  numeric(
    "share",
    "Of size",
    (row) => share(row.moved, row.before),
    (row) => Number(row.moved) / Number(row.before),
  ),
  { name: "values", text: "Weights", of: twoValues, isWide: true },
];

const REPEATED = [
  numeric("number", "Call", (row) => String(row.number)),
  ...CALLS.filter(({ name }) => !["name", "module"].includes(name)),
];

const BATCHES = [
  numeric("number", "Batch", (row) => String(row.number)),
  numeric("seconds", "Waited", (row) => duration(row.seconds)),
  {
    name: "shape",
    text: "Shapes",
    of: (row) => shapes(row.items.filter((item) => item.tensor).map((item) => item.tensor.shape)),
  },
];

function tablesOf(stage, alike) {
  switch (stage.kind) {
    case "data":
      return [
        ...(alike.length > 1 ? [["All batches in a row", BATCHES, alike]] : []),
        ["Parts of the batch", ITEMS, stage.items],
      ];
    case "forward":
      return [
        ...(alike.length > 1
          ? [["All calls in a row", REPEATED, alike.map(({ calls: [whole] }, i) => ({ ...whole, number: i + 1 }))]]
          : []),
        ["Modules, in the order in which they were called", CALLS, stage.calls],
        ["Given", ITEMS, stage.given],
        ["Output", ITEMS, stage.output],
      ].filter(([, , rows]) => rows.length);
    case "step":
      return stage.changes.length ? [["Weights", WEIGHTS, stage.changes]] : [];
    default:
      return stage.changes?.length ? [["Gradients", GRADIENTS, stage.changes]] : [];
  }
}

const MORE = {
  loss: ({ value, wiring }) => [
    make("p", { class: "loss-value" }, number(value)),
    wiring?.chain?.length
      ? make(
          "ol",
          { class: "chain", "aria-label": "From the loss back to the prediction" },
          [...wiring.chain, ...(wiring.fed_by ?? []).map((op) => op.name)].map((name) => make("li", {}, name)),
        )
      : null,
    wiring?.terms?.length
      ? make(
          "ul",
          { class: "terms" },
          wiring.terms.map((term) => make("li", {}, wiringText(term))),
        )
      : null,
  ],
  step: ({ optimizer, name, update, settings, rates: lrs, closure, num_without_gradient: without }, trace) =>
    terms(
      [
        ["Optimizer", nameOf(optimizer, trace, name)],
        ["Its update", String(update)],
        ["Rate", rates(lrs)],
        ...Object.entries(settings).map(([key, some]) => [key.replaceAll("_", " "), some.map(number).join(", ")]),
        ["Closure", closure ? "yes" : null],
        ["Without gradient", without ? String(without) : null],
      ],
      { class: "run-facts" },
    ),
  clip: ({ by, limit, factor, num_params: all, num_gradients: num }) =>
    terms(
      [
        ["By", by],
        ["Limit", number(limit)],
        ["Factor", factor === null ? null : number(factor)],
        ["Parameters", String(all)],
        ["With gradient", String(num)],
      ],
      { class: "run-facts" },
    ),
  schedule: ({ rates: some }, trace) =>
    terms(
      some.map((one) => [nameOf(one.optimizer, trace), `${rates(one.before)} → ${rates(one.after)}`]),
      { class: "run-facts" },
    ),
};

function moduleName(row) {
  const name = make("span", { class: "module" }, row.name || "(whole)");
  name.style.paddingLeft = `${Math.min(8, row.depth) * 12}px`;
  return name;
}

function twoValues(row) {
  if (!row.values_before.length) return values(row.values_after, row.shape);
  if (!row.values_after.length) return `${values(row.values_before, row.shape)} → none`;
  return `${values(row.values_before.slice(0, 2), [])} → ${values(row.values_after.slice(0, 2), row.shape)}`;
}

function title(name) {
  return name[0].toUpperCase() + name.slice(1);
}
