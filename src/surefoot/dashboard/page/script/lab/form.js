/** Inputs for settings. What is wrong with one stands below it. */
import { make, replace } from "../dom.js";
import { readValue } from "./state.js";

let numMade = 0;

export class Input {
  /** `onChange(value)` hears of what somebody has chosen or typed. */
  constructor(field, onChange) {
    this.field = field;
    this.id = `setting-${++numMade}`;
    this.control = this.#make(onChange);
    this.control.id = this.id;
    this.control.name = field.name;
    this.control.setAttribute("aria-describedby", `${this.id}-why`);
    this.why = make("p", { class: "why", id: `${this.id}-why`, hidden: true });
    const label = make("label", { for: this.id }, field.title);
    const parts = field.kind === "switch" ? [this.control, label] : [label, this.control];
    this.element = make("div", { class: `setting of-${field.kind}` }, parts, this.why);
  }

  set(value) {
    if (this.field.kind === "switch") this.control.checked = value === true;
    else if (this.field.kind === "choice") this.#choose(String(value));
    else if (document.activeElement !== this.control || readValue(this.field, this.control.value) !== value)
      this.control.value = String(value);
  }

  tell(why) {
    this.why.hidden = !why;
    this.why.textContent = why ?? "";
    if (why) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
  }

  #make(onChange) {
    const { kind, choices } = this.field;
    if (kind === "switch") {
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", () => onChange(box.checked));
      return box;
    }
    if (kind === "choice") {
      const options = Object.entries(choices).map(([value, title]) => make("option", { value }, title));
      const select = make("select", {}, options);
      select.addEventListener("change", () => onChange(select.value));
      return select;
    }
    const text = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
    text.addEventListener("input", () => onChange(readValue(this.field, text.value)));
    return text;
  }

  /** A link may name what does not exist: it is shown, and the server says so. */
  #choose(value) {
    if (![...this.control.options].some((option) => option.value === value))
      this.control.append(make("option", { value }, value));
    this.control.value = value;
  }
}

/** Inputs that stay what they are while only their values change. */
export class Group {
  #key = "";
  inputs = new Map();

  constructor(attributes) {
    this.element = make("div", { class: "settings", ...attributes });
  }

  /** `fields` with their values, `onChange(name, value)`. */
  set(fields, valueOf, onChange) {
    const key = fields.map(({ name }) => name).join();
    if (key !== this.#key) {
      const old = this.inputs;
      const made = (field) => new Input(field, (value) => onChange(field.name, value));
      this.inputs = new Map(fields.map((field) => [field.name, old.get(field.name) ?? made(field)]));
      const held = document.activeElement;
      replace(this.element, [...this.inputs.values()].map(({ element }) => element));
      if (held !== document.activeElement && this.element.contains(held)) held.focus();
      this.#key = key;
    }
    for (const field of fields) this.inputs.get(field.name).set(valueOf(field));
  }

  /** `whyOf(name)`: what is wrong with it. Gives the names that are here. */
  tell(whyOf) {
    for (const [name, input] of this.inputs) input.tell(whyOf(name));
    return [...this.inputs.keys()];
  }
}
