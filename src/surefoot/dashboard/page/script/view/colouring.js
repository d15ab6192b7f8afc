/** Which runs of a comparison have a colour in common, and whether they are drawn as one curve: their mean and spread. */
import { make } from "../dom.js";
import { change } from "../link.js";

const GROUP = "run_group";

/** Controls: `set(query, about)` once the runs are known. */
export function colouring() {
  const by = make("select", { "aria-label": "Colours" });
  const mean = make("input", { type: "checkbox" });
  const label = make("label", {}, mean, "Mean and spread");
  by.addEventListener("change", () => change({ by: by.value || null, mean: by.value ? mean.checked : null }));
  mean.addEventListener("change", () => change({ mean: mean.checked }));
  return {
    element: make("span", { class: "board-controls" }, make("label", {}, "Colours by", by), label),
    set(query, about) {
      const names = settingsThatDiffer(about);
      by.replaceChildren(...[["", "run"], [GROUP, "group"], ...names.map((name) => [name, name])].map(([value, text]) => make("option", { value }, text)));
      by.value = query.get("by") ?? "";
      mean.checked = query.get("mean") === "1";
      label.hidden = !query.get("by");
    },
  };
}

/** [{ key, number, members: [index of a run] }] in the order of their first runs. */
export function coloured(about, query) {
  const by = query.get("by");
  if (!by) return about.map(({ run }, number) => ({ key: run.run, number, members: [number] }));
  const keys = about.map((one) => (by === GROUP ? (one.run.run_group ?? "no group") : `${by} ${valueOf(one, by)}`));
  const distinct = [...new Set(keys)];
  return distinct.map((key, number) => ({ key, number, members: keys.flatMap((one, i) => (one === key ? [i] : [])) }));
}

export function isMean(query) {
  return Boolean(query.get("by")) && query.get("mean") === "1";
}

function settingsThatDiffer(about) {
  const names = [...new Set(about.flatMap(({ settings }) => settings.map(({ name }) => name)))];
  return names.filter((name) => new Set(about.map((one) => valueOf(one, name))).size > 1);
}

function valueOf({ settings }, name) {
  const found = settings.find((one) => one.name === name);
  return found === undefined ? "–" : typeof found.value === "string" ? found.value : JSON.stringify(found.value);
}
