/** Settings as columns of the table of runs; which ones is a part of the link. */
import { make, replace } from "../dom.js";
import { change } from "../link.js";
import { short } from "../number.js";
import { settings } from "../source.js";

const MOST = 12; // columns
const LISTED = 200; // names in the menu

export const NO_GROUP = "no group";

export class ChosenColumns {
  #values = {}; // by run, of what is chosen
  #names = []; // of all settings
  #asked = "";
  #chosen = [];
  #by = null;
  #kept = []; // [name, value] that runs must have
  #changed;

  constructor(changed) {
    this.#changed = changed;
    this.find = make("input", { type: "search", placeholder: "Find a setting…", "aria-label": "Find a setting" });
    this.list = make("div", { class: "menu-list" });
    this.by = make("select", { "aria-label": "Group runs by" });
    this.element = make(
      "details",
      { class: "menu", hidden: true },
      make("summary", {}, "Columns"),
      make("div", { class: "menu-content" }, make("label", {}, "Group by ", this.by), this.find, this.list),
    );
    this.find.addEventListener("input", () => this.#drawMenu());
    this.by.addEventListener("change", () => change({ by: this.by.value || null }, { isStep: true }));
  }

  get columns() {
    return this.#chosen.map((setting) => ({
      name: `set:${setting}`,
      text: setting,
      setting,
      isNumber: true,
      of: (row) => this.value(row.run, setting) ?? "",
    }));
  }

  value(run, setting) {
    return this.#values[run]?.[setting];
  }

  text(run, setting) {
    const value = this.value(run, setting);
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
    this.#by = query.get("by");
    this.#kept = query.getAll("is").map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
    this.load();
  }

  /** Again if there are news. */
  async load(isForced = false) {
    const kept = this.#kept.map(([name]) => name);
    const wanted = [...new Set([...this.#chosen, ...kept, ...(this.#by ? [this.#by] : [])])];
    const key = JSON.stringify(wanted);
    if (key === this.#asked && !isForced) return this.#drawMenu();
    this.#asked = key;
    try {
      const answer = await settings(wanted);
      if (key !== this.#asked) return;
      this.#values = answer.runs;
      this.#names = answer.names;
    } catch {
      return; // the table is there without
    }
    this.#drawMenu();
    this.#changed();
  }

  #drawMenu() {
    this.element.hidden = !this.#names.length && !this.#by;
    const option = (value, text) => make("option", { value }, text);
    replace(this.by, option("", "nothing"), option("run_group", "group"), this.#names.map((name) => option(name, name)));
    this.by.value = this.#by ?? "";
    const text = this.find.value.toLowerCase();
    const found = this.#names.filter((name) => name.toLowerCase().includes(text));
    replace(this.list, found.slice(0, LISTED).map((name) => this.#choice(name)));
  }

  #choice(name) {
    const box = make("input", { type: "checkbox", checked: this.#chosen.includes(name) });
    box.addEventListener("change", () => {
      const others = this.#chosen.filter((one) => one !== name);
      change({ show: box.checked ? [...others, name].slice(0, MOST) : others });
    });
    return make("label", {}, box, ` ${name}`);
  }
}
