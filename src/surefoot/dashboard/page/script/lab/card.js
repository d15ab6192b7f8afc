/** The settings of one path. */
import { curveColour } from "../chart/colour.js";
import { make } from "../dom.js";
import { Group } from "./form.js";
import { fieldsOf, nameOf, pathValue } from "./state.js";

export class PathCard {
  #groups = Object.fromEntries(
    ["optimizer", "schedule", "gradient"].map((name) => [name, new Group({ role: "group", "aria-label": name })]),
  );

  /** `on`: { change(name, value), copy(), remove() } */
  constructor(number, on) {
    this.number = number;
    this.on = on;
    this.title = make("span", { class: "name" });
    this.problem = make("p", { class: "why", role: "alert", hidden: true });
    this.badge = make("span", { class: "lab-number", "aria-hidden": "true" }, String(number + 1));
    this.copy = this.#button("Copy", `Copy path ${number + 1}`, on.copy);
    this.remove = this.#button("Remove", `Remove path ${number + 1}`, on.remove);
    this.element = make(
      "section",
      { class: "card lab-path", "aria-label": `Path ${number + 1}` },
      make("header", {}, this.badge, this.title, this.copy, this.remove),
      Object.values(this.#groups).map((group) => group.element),
      this.problem,
    );
  }

  set(state, path, { canCopy, canRemove }) {
    this.badge.style.background = curveColour(this.number);
    this.title.textContent = nameOf(state, path);
    this.copy.disabled = !canCopy;
    this.remove.disabled = !canRemove;
    const fields = fieldsOf(path);
    for (const [name, group] of Object.entries(this.#groups))
      group.set(fields[name], (field) => pathValue(state, path, field), this.on.change);
  }

  /** `fields` of an error, by their full names. Those that have no input are told below. */
  tell(fields) {
    const at = `paths.${this.number}`;
    const known = Object.values(this.#groups).flatMap((group) => group.tell((name) => fields[`${at}.${name}`]));
    const rest = Object.entries(fields)
      .filter(([name]) => name === at || (name.startsWith(`${at}.`) && !known.includes(name.slice(at.length + 1))))
      .map(([, why]) => why);
    this.problem.hidden = rest.length === 0;
    this.problem.textContent = rest.join(" ");
  }

  #button(text, label, click) {
    const attributes = { type: "button", class: "quiet small", "aria-label": label, title: label, on: { click } };
    return make("button", attributes, text);
  }
}
