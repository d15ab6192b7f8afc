/** Runs that have a setting or a group in common, such as seeds of one experiment: how many, and their losses. */
import { make } from "../dom.js";
import { hrefOf } from "../link.js";
import { count, short } from "../number.js";
import { metricText, NO_GROUP } from "./columns.js";

/** One line a group, the lowest mean of the best losses first. Chosen metrics stand beside the losses. */
export function grouped(rows, by, chosen) {
  const groups = new Map();
  for (const row of rows) {
    const key = by === "run_group" ? (row.run_group ?? NO_GROUP) : chosen.text(row.run, by);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const lines = [...groups].map(([key, some]) => ({
    key,
    some,
    best: spread(some.map((row) => row.best_loss)),
    last: spread(some.map((row) => row.last_loss)),
    metrics: chosen.metrics.map((metric) => spread(some.map((row) => chosen.value(row.run, metric)))),
  }));
  lines.sort((one, two) => (one.best?.mean ?? Infinity) - (two.best?.mean ?? Infinity));
  const head = [by === "run_group" ? "Group" : by, "Runs", "Best loss", "Last loss", ...chosen.metrics.map(metricText), "Errors"];
  const table = make(
    "table",
    { class: "groups" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        head.map((text, i) => make("th", { scope: "col", class: i ? "number" : null }, text)),
      ),
    ),
    make(
      "tbody",
      {},
      lines.map((line) => row(line, by)),
    ),
  );
  return make(
    "div",
    {},
    make("div", { class: "table-frame" }, table),
    make("p", { class: "hint" }, "Mean ± standard deviation of the runs whose number is finite, and how many these are."),
  );
}

function row({ key, some, best, last, metrics }, by) {
  const query = new URLSearchParams(location.hash.split("?")[1]); // what is shown stays
  query.delete("by");
  query.append("is", `${by}=${key}`);
  if (by !== "run_group" && !query.getAll("show").includes(by)) query.append("show", by);
  const cell = (...value) => make("td", { class: "number" }, value);
  return make(
    "tr",
    {},
    make("td", {}, make("a", { href: hrefOf([], query) }, key)),
    cell(count(some.length)),
    cell(spreadText(best)),
    cell(spreadText(last)),
    metrics.map((found) => cell(spreadText(found))),
    cell(count(some.reduce((sum, one) => sum + (one.errors ?? 0), 0))),
  );
}

function spread(values) {
  const finite = values.filter((value) => value !== null && value !== undefined).map(Number).filter(Number.isFinite);
  if (!finite.length) return null;
  const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: finite.length > 1 ? Math.sqrt(squares / (finite.length - 1)) : null, num: finite.length };
}

function spreadText(found) {
  if (!found) return "–";
  const { mean, deviation, num } = found;
  return deviation === null ? short(mean) : `${short(mean)} ± ${short(deviation, 2)} (${num})`;
}
