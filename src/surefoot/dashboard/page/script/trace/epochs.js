/** Losses and accuracies epoch by epoch, and those on other data. */
import { spark } from "../chart/spark.js";
import { make } from "../dom.js";
import { count } from "../number.js";
import { number, place } from "./word.js";

export function epochTable(trace) {
  if (!trace.epochs.length) return null;
  const word = trace.epochs[0].loader === null ? "Part" : "Epoch";
  const several = new Set(trace.epochs.map((epoch) => place(epoch.site, ""))).size > 1;
  const rows = trace.epochs.flatMap((epoch) => {
    const name = `${epoch.epoch}${several ? ` of loader ${epoch.loader}` : ""}${epoch.complete ? "" : ", left"}`;
    const steps =
      epoch.last_step > epoch.first_step ? `${epoch.first_step}–${epoch.last_step}` : String(epoch.first_step);
    const trained = epoch.losses.map((one) => [
      name,
      steps,
      place(one.site, trace.folder),
      "trained on",
      count(one.num),
      number(one.first),
      number(one.last),
      number(one.mean),
    ]);
    const held = (epoch.held_out ?? []).map((one) => [
      name,
      `after ${one.step}`,
      place(one.site, trace.folder),
      `${one.name || one.kind || "loss"}, without gradients`,
      count(one.num),
      "",
      "",
      number(one.loss),
    ]);
    const answers = (epoch.accuracies ?? []).map((one) => [
      name,
      one.step === null ? steps : `after ${one.step}`,
      place(one.site, trace.folder),
      `right answers${one.step === null ? "" : ", without gradients"}`,
      count(one.num),
      "",
      "",
      `${(100 * one.share).toFixed(1)} %`,
    ]);
    return [...trained, ...held, ...answers];
  });
  const titles = [word, "Steps", "Line", "What", "Values", "First", "Last", "Mean"];
  const cell = (text, i) => make("td", { class: i > 3 ? "number" : null }, text);
  return make(
    "section",
    { class: "trace-epochs" },
    make("div", { class: "section-head" }, make("h2", {}, `${word} by ${word.toLowerCase()}`), curves(trace)),
    make(
      "div",
      { class: "table-frame", tabindex: "0", role: "region", "aria-label": `${word} by ${word.toLowerCase()}` },
      make(
        "table",
        { class: "small-table" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            titles.map((text, i) => make("th", { scope: "col", class: i > 3 ? "number" : null }, text)),
          ),
        ),
        make(
          "tbody",
          {},
          rows.map((row) => make("tr", {}, row.map(cell))),
        ),
      ),
    ),
  );
}

/** Means of the first line's losses. */
function curves({ epochs }) {
  const means = epochs.map((epoch) => epoch.losses[0]?.mean ?? null);
  return means.length > 1 ? spark(means) : null;
}
