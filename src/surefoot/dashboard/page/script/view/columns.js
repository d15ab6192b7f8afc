/** Settings and metrics as columns of the table of runs; which ones is a part of the link. */
import { make, replace } from "../dom.js";
import { change } from "../link.js";
import { short } from "../number.js";
import { columns } from "../source.js";

const MOST = 12; // columns of each kind
const LISTED = 200; // names in the menu
const KINDS = { last: "last", low: "lowest", high: "highest" };
const AGAIN_MS = 50; // numbers of many runs come in parts

export const NO_GROUP = "no group";

/** "low:val/loss" as people read it. */
export function metricText(metric) {
  const at = metric.indexOf(":");
  return `${metric.slice(at + 1)}, ${KINDS[metric.slice(0, at)] ?? "?"}`;
}

export class ChosenColumns {
  #values = {}; // by run, of what is chosen
  #names = []; // of all settings
  #metrics = []; // names of all series, once they are asked for
  #asked = "";
  #chosen = [];
  #chosenMetrics = [];
  #hidden = [];
  #by = null;
  #kept = []; // [name, value] that runs must have
  #changed;
  #hideable; // [name, text] of the columns that are always there

  constructor(changed, hideable) {
    this.#changed = changed;
    this.#hideable = hideable;
    this.find = make("input", { type: "search", placeholder: "Find a name…", "aria-label": "Find a metric or a setting" });
    this.list = make("div", { class: "menu-list" });
    this.by = make("select", { "aria-label": "Group runs by" });
    this.element = make(
      "details",
      { class: "menu" },
      make("summary", {}, "Columns"),
      make("div", { class: "menu-content" }, make("label", {}, "Group by ", this.by), this.find, this.list),
    );
    this.find.addEventListener("input", () => this.#drawMenu());
    this.by.addEventListener("change", () => change({ by: this.by.value || null }, { isStep: true }));
    this.element.addEventListener("toggle", () => this.element.open && this.load());
  }

  get columns() {
    const column = (key, text, kind) => ({
      name: `${kind}:${key}`,
      text,
      key,
      isNumber: true,
      of: (row) => sortable(this.value(row.run, key), kind),
    });
    return [
      ...this.#chosenMetrics.map((metric) => column(metric, metricText(metric), "metric")),
      ...this.#chosen.map((setting) => column(setting, setting, "set")),
    ];
  }

  get metrics() {
    return this.#chosenMetrics;
  }

  isHidden(name) {
    return this.#hidden.includes(name);
  }

  value(run, key) {
    return this.#values[run]?.[key];
  }

  text(run, key) {
    const value = this.value(run, key);
    if (value === undefined) return "–";
    return typeof value === "number" ? short(value, 6) : typeof value === "string" ? value : JSON.stringify(value);
  }

  /** Whether it has all that the link asks for. */
  fits(row) {
    return this.#kept.every(([name, value]) => {
      if (name === "run_group") return (row.run_group ?? NO_GROUP) === value;
      if (name === "tag") return (row.tags ?? "").split(",").includes(value);
      return this.text(row.run, name) === value;
    });
  }

  /** What is asked for, each to be taken out. */
  filters() {
    return this.#kept.map((one) => {
      const others = this.#kept.filter((other) => other !== one).map((other) => other.join("="));
      const text = `${one[0] === "run_group" ? "group" : one[0]} = ${one[1]}`;
      const out = { type: "button", class: "badge plain label", title: "Take this filter out" };
      return make("button", { ...out, on: { click: () => change({ is: others }) } }, text, " ×");
    });
  }

  set(query) {
    this.#chosen = query.getAll("show").slice(0, MOST);
    this.#chosenMetrics = query.getAll("metric").slice(0, MOST);
    this.#hidden = query.getAll("hide");
    this.#by = query.get("by");
    this.#kept = query.getAll("is").map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
    this.load();
  }

  /** Again if there are news. */
  async load(isForced = false) {
    const kept = this.#kept.map(([name]) => name);
    const settings = [...new Set([...this.#chosen, ...kept, ...(this.#by ? [this.#by] : [])])];
    const wanted = { setting: settings, metric: this.#chosenMetrics, all: this.element.open ? 1 : null };
    const key = JSON.stringify(wanted);
    if (key === this.#asked && !isForced) return this.#drawMenu();
    this.#asked = key;
    try {
      const answer = await columns(wanted);
      if (key !== this.#asked) return;
      this.#values = answer.runs;
      this.#names = answer.settings;
      this.#metrics = answer.metrics;
      if (!answer.is_whole) setTimeout(() => key === this.#asked && this.load(true), AGAIN_MS);
    } catch {
      return; // the table is there without
    }
    this.#drawMenu();
    this.#changed();
  }

  #drawMenu() {
    const option = (value, text) => make("option", { value }, text);
    replace(this.by, option("", "nothing"), option("run_group", "group"), this.#names.map((name) => option(name, name)));
    this.by.value = this.#by ?? "";
    const text = this.find.value.toLowerCase();
    const part = (title, names, line) => {
      const found = names.filter((name) => name.toLowerCase().includes(text));
      const rest = found.length - LISTED;
      return found.length
        ? [make("p", { class: "menu-title" }, title), found.slice(0, LISTED).map(line), rest > 0 ? make("p", {}, `${rest} more: find them by name`) : null]
        : [];
    };
    replace(
      this.list,
      part("Metrics", this.#metrics, (name) => this.#metricChoice(name)),
      part("Settings", this.#names, (name) => this.#choice("show", this.#chosen, name, ` ${name}`)),
      text ? null : [make("p", { class: "menu-title" }, "Always there"), this.#hideable.map(([name, shown]) => this.#hideChoice(name, shown))],
    );
  }

  #metricChoice(name) {
    const kinds = Object.entries(KINDS).map(([kind, text]) => this.#choice("metric", this.#chosenMetrics, `${kind}:${name}`, text, `${name}, ${text}`));
    return make("div", { class: "menu-metric" }, make("span", {}, name), kinds);
  }

  #choice(param, chosen, name, text, label = null) {
    const box = make("input", { type: "checkbox", checked: chosen.includes(name), "aria-label": label });
    box.addEventListener("change", () => {
      const others = chosen.filter((one) => one !== name);
      change({ [param]: box.checked ? [...others, name].slice(0, MOST) : others });
    });
    return make("label", {}, box, text);
  }

  #hideChoice(name, text) {
    const box = make("input", { type: "checkbox", checked: !this.isHidden(name) });
    box.addEventListener("change", () => {
      const others = this.#hidden.filter((one) => one !== name);
      change({ hide: box.checked ? others : [...others, name] });
    });
    return make("label", {}, box, ` ${text}`);
  }
}

/** Numbers before texts; what a run does not have comes last, however it is sorted upwards. */
function sortable(value, kind) {
  if (value === undefined) return kind === "metric" ? Infinity : "";
  if (kind === "metric" && typeof value === "string") return Number.isNaN(Number(value)) ? Infinity : Number(value);
  return value;
}
