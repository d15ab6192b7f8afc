/** Cells in rows over steps: what columns cover, and how they grow. */
import { toNumber } from "../number.js";

const MOST_COLUMNS = 500;

export class Grid {
  constructor({ rows, steps, last_step: last, values }) {
    Object.assign(this, { rows, last });
    this.steps = [...steps];
    this.values = values.map((row) => row.map(toNumber));
  }

  get first() {
    return this.steps[0] ?? 0;
  }

  /** Where a column ends, on the axis of steps. */
  end(column) {
    return column + 1 < this.steps.length ? this.steps[column + 1] : this.last + 1;
  }

  all() {
    return this.values.flat();
  }

  columnAt(step) {
    let column = this.steps.length - 1;
    while (column > 0 && this.steps[column] > step) column--;
    return column;
  }

  /** Rows of the stream become columns at the end. `columns`: { row: { steps, values } }. Tells whether any did. */
  append(columns) {
    const fresh = new Map();
    this.rows.forEach((name, row) => {
      const { steps = [], values = [] } = columns[name] ?? {};
      steps.forEach((step, i) => {
        if (step <= this.last) return;
        if (!fresh.has(step)) fresh.set(step, new Array(this.rows.length).fill(null));
        fresh.get(step)[row] = toNumber(values[i]);
      });
    });
    for (const step of [...fresh.keys()].sort((one, two) => one - two)) {
      this.steps.push(step);
      fresh.get(step).forEach((value, row) => this.values[row].push(value));
      this.last = step;
    }
    if (this.steps.length > MOST_COLUMNS) this.#halve();
    return fresh.size > 0;
  }

  /** Of neighbours the higher stays, and what is not finite before all: as the server has it. */
  #halve() {
    const pairs = (column, merge) =>
      column.filter((_, i) => i % 2 === 0).map((one, i) => merge(one, column[2 * i + 1]));
    this.steps = pairs(this.steps, (one) => one);
    this.values = this.values.map((row) => pairs(row, higher));
  }
}

function higher(one, two = null) {
  if (one === null || two === null) return one ?? two;
  return Math.max(one, two); // NaN if one is
}
