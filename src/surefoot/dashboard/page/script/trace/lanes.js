/** The traced steps: one lane an optimizer, in the order in which they were taken. */
import { make } from "../dom.js";

export function lanes(steps, trace, { href, chosen }) {
  const known = trace.optimizers.filter(({ id }) => steps.some(({ step }) => step?.optimizer === id));
  const rows = known.length > 1 ? known : [null];
  const made = rows.map((optimizer) => {
    const cells = steps.map((one) => {
      const isOwn = optimizer === null || one.step?.optimizer === optimizer.id || (!one.step && optimizer === rows[0]);
      return make("li", {}, isOwn ? tab(one) : make("span", { class: "no-step", "aria-hidden": "true" }));
    });
    const name = optimizer === null ? "Steps" : `${optimizer.name} (optimizer ${optimizer.id})`;
    return make("div", { class: "lane-row" }, make("span", { class: "lane-name" }, name), make("ol", {}, cells));
  });
  return make("nav", { class: "step-lanes", "aria-label": "Steps" }, made);

  function tab({ number, step }) {
    const found = step?.findings.length ?? 0;
    const what = step ? `update ${step.update}${step.skipped ? ", skipped" : ""}` : "not taken";
    return make(
      "a",
      { href: href(number), "aria-current": number === chosen ? "page" : null, "data-keep": `step ${number}` },
      make("strong", {}, `Step ${number}`),
      make("span", { class: "quiet-text" }, what),
      found ? make("span", { class: "num has-errors", title: "findings" }, String(found)) : null,
    );
  }
}
