/** How values become colours: evenly, or by powers of ten. */
import { make } from "../dom.js";
import { tick } from "../number.js";
import { RAMP, rampColour } from "./ramp.js";

const MOST_DECADES = 10; // below the highest: smaller ones are drawn as the lowest

export class Scale {
  /** `isLog`, and `fixed` [low, high] where these are known; `missing` is what −∞ stands for, where it does. */
  constructor(values, { isLog = false, fixed = null, format = tick, odd = "not finite", missing = null } = {}) {
    const known = values.filter((value) => value !== null && Number.isFinite(value) && (!isLog || value > 0));
    let [low, high] = fixed ?? [lowest(known), highest(known)];
    if (isLog) low = Math.max(low, high * 10 ** -MOST_DECADES);
    if (isLog && low === high) [low, high] = [low / 2, high * 2];
    Object.assign(this, { isLog, low, high, format, odd, missing });
    this.hasMissing = values.some((value) => this.isMissing(value));
    this.hasZeros = isLog && values.some((value) => value !== null && value <= 0 && !this.isMissing(value));
    this.hasOdd = values.some((value) => value !== null && !Number.isFinite(value) && !this.isMissing(value));
    this.isEmpty = known.length === 0;
  }

  isMissing(value) {
    return this.missing !== null && value === -Infinity;
  }

  /** From 0 to 1; null if it has no place: zeros on a scale of powers. */
  share(value) {
    if (this.isLog && value <= 0) return null;
    const [at, low, high] = this.isLog ? [value, this.low, this.high].map(Math.log10) : [value, this.low, this.high];
    return high > low ? Math.min(1, Math.max(0, (at - low) / (high - low))) : 0.5;
  }

  colour(value) {
    const share = this.share(value);
    return share === null ? null : rampColour(share);
  }

  ticks() {
    if (!this.isLog) return [0, 0.25, 0.5, 0.75, 1].map((share) => this.low + share * (this.high - this.low));
    const [first, last] = [Math.ceil(Math.log10(this.low) - 1e-9), Math.floor(Math.log10(this.high) + 1e-9)];
    if (last - first < 2) return this.#between(first - 1, last);
    const every = Math.ceil((last - first + 1) / 6);
    const made = [];
    for (let power = first; power <= last; power += every) made.push(10 ** power);
    return made;
  }

  /** Few decades: 1, 2 and 5 of each. */
  #between(first, last) {
    const made = [];
    for (let power = first; power <= last; power++) for (const one of [1, 2, 5]) made.push(one * 10 ** power);
    const seen = made.filter((value) => value >= this.low && value <= this.high);
    return seen.length > 1 ? seen : [this.low, this.high];
  }

  /** What the colours mean. */
  legend(unit) {
    const key = (name, text) =>
      make("span", { class: "heat-key" }, make("span", { class: `heat-swatch ${name}` }), text);
    return make(
      "div",
      { class: "heat-legend" },
      make("span", { class: "heat-unit" }, unit),
      this.isEmpty ? null : this.#bar(),
      this.hasZeros ? key("zero", "zero") : null,
      this.hasMissing ? key("missing", this.missing) : null,
      this.hasOdd ? key("odd", this.odd) : null,
      key("none", "not sampled"),
    );
  }

  #bar() {
    const bar = make("canvas", { class: "heat-bar", width: RAMP.length, height: 1, "aria-hidden": "true" });
    const ctx = bar.getContext("2d");
    RAMP.forEach((colour, x) => {
      ctx.fillStyle = colour;
      ctx.fillRect(x, 0, 1, 1);
    });
    const ticks = this.ticks().map((value) => {
      const label = make("span", {}, this.format(value));
      label.style.left = `${100 * (this.share(value) ?? 0)}%`;
      return label;
    });
    const words = `Colours from ${this.format(this.low)} (dark) to ${this.format(this.high)} (light)`;
    return make(
      "div",
      { class: "heat-scale", role: "img", "aria-label": this.isLog ? `${words}, by powers of ten` : words },
      bar,
      make("div", { class: "heat-ticks" }, ticks),
    );
  }
}

function lowest(values) {
  return values.reduce((one, two) => Math.min(one, two), Infinity);
}

function highest(values) {
  return values.reduce((one, two) => Math.max(one, two), -Infinity);
}
