/** One curve: what the server gave, in buckets or exactly, and the rows that came since. */
import { toNumber } from "../number.js";
import { breaks, everyOf, isBreak } from "./gap.js";

const MOST_POINTS = 2000; // of a curve that grows; then neighbours are put together

export class Curve {
  steps = [];
  times = [];
  lows = [];
  highs = [];
  lasts = [];
  nonfinite = [];
  numNonfinite = 0;
  isExact = true;
  #every = []; // of buckets, as the server tells it

  /**
   * `runs` are those whose mean it is. `label` tells it from the others of its chart. Times are shown since `start`, in unix seconds. With `hasGaps`
   * NaN is no news.
   */
  constructor({ run, runs = null, name, rank = 0, label = name, start = 0, hasGaps = false }) {
    Object.assign(this, { run, runs, name, rank, label, start, hasGaps });
  }

  /** Steps between two values: [usual least, usual most]. */
  get every() {
    return this.isExact ? everyOf(this.steps) : this.#every;
  }

  /** Whether there are steps without a value, so that a line alone would tell more than is known. */
  get isSampled() {
    return (this.every[1] ?? 1) >= 1.5;
  }

  /** The points that no line joins to the one before. */
  get breaks() {
    return breaks(this.steps);
  }

  get length() {
    return this.steps.length;
  }

  /** Take over an answer of the server. */
  load(answer) {
    this.steps = answer.steps;
    this.times = answer.times;
    this.lows = answer.lows.map(finite);
    this.highs = answer.highs.map(finite);
    this.lasts = answer.lasts.map(finite);
    this.nonfinite = answer.nonfinite.map(({ step, value }) => ({ step, value: toNumber(value) }));
    this.numNonfinite = answer.num_nonfinite;
    if (this.hasGaps) this.#forgetGaps();
    this.isExact = answer.is_exact;
    this.#every = answer.every ?? [];
  }

  /** Rows that are new; those it has are left out. Tells whether there were any. */
  append({ steps, times, values }, upTo = Infinity) {
    const before = this.length;
    let last = before ? this.steps[before - 1] : -Infinity;
    for (let i = 0; i < steps.length; i++) {
      if (steps[i] <= last || steps[i] > upTo) continue;
      last = steps[i];
      this.#push(steps[i], times[i], toNumber(values[i]));
    }
    if (this.length > MOST_POINTS) this.#halve();
    return this.length !== before;
  }

  xs(axis) {
    return axis === "time" ? this.times.map((time) => time - this.start) : this.steps;
  }

  /** Where a step is on the axis: of time, between the points that are known. */
  xOfStep(step, axis) {
    if (axis !== "time") return step;
    const at = this.steps.findIndex((known) => known >= step);
    return at < 0 ? null : this.times[at] - this.start;
  }

  stepOfX(x, axis) {
    if (axis !== "time") return Math.round(x);
    const at = this.times.findIndex((time) => time - this.start >= x);
    return this.steps[at < 0 ? this.length - 1 : at];
  }

  /** At x on the axis, or the last before it. */
  valueAt(x, axis) {
    const shift = axis === "time" ? this.start : 0;
    let at = firstAfter(axis === "time" ? this.times : this.steps, x + shift) - 1;
    if (at >= 0 && at + 1 < this.length && this.steps[at] !== x && isBreak(this.steps, at + 1)) return null; // nobody knows what it was there
    while (at >= 0 && this.lasts[at] === null) at--;
    return at < 0 ? null : this.lasts[at];
  }

  lastFinite() {
    for (let i = this.length - 1; i >= 0; i--) if (this.lasts[i] !== null) return this.lasts[i];
    return null;
  }

  #push(step, time, value) {
    const isFinite = Number.isFinite(value);
    const known = isFinite ? value : null;
    this.steps.push(step);
    this.times.push(time);
    for (const column of [this.lows, this.highs, this.lasts]) column.push(known);
    if (isFinite || (this.hasGaps && Number.isNaN(value))) return;
    this.numNonfinite++;
    if (this.nonfinite.length < 200) this.nonfinite.push({ step, value });
  }

  #forgetGaps() {
    this.nonfinite = this.nonfinite.filter(({ value }) => !Number.isNaN(value));
    this.numNonfinite = this.nonfinite.length;
  }

  #halve() {
    const half = (column, merge) => {
      const made = [];
      for (let i = 0; i < column.length; i += 2)
        made.push(i + 1 < column.length ? merge(column[i], column[i + 1]) : column[i]);
      return made;
    };
    const second = (one, two) => two ?? one;
    const of = (choose) => (one, two) => (one === null ? two : two === null ? one : choose(one, two));
    this.lows = half(this.lows, of(Math.min));
    this.highs = half(this.highs, of(Math.max));
    this.lasts = half(this.lasts, second);
    this.steps = half(this.steps, second);
    this.times = half(this.times, second);
    if (this.isExact) this.#every = everyOf(this.steps);
    this.isExact = false;
  }
}

function finite(value) {
  return typeof value === "number" ? value : null;
}

function firstAfter(sorted, x) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
