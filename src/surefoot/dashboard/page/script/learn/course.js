/** What the two programs do, drawn while they do it. */
import { Board } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { make } from "../dom.js";

const TWINS = [
  ["bad", "Bad", 1],
  ["good", "Good", 0],
]; // with the number of its colour

export class Course {
  #cards = new Set(); // names of curves that have one
  #num = { bad: 0, good: 0 };

  constructor(query) {
    this.board = new Board(query);
    this.losses = make("div", { class: "sections" });
    this.weights = make("div", { class: "charts" });
    this.note = make(
      "p",
      { class: "quiet-text", hidden: true },
      "These are a few steps of a toy: the wrong program may well have the lower loss. Most of what the rules find does not show in a curve.",
    );
    this.element = make("div", { class: "sections" }, this.losses, this.note, this.weights);
  }

  get numBackwards() {
    return this.#num;
  }

  take(twin, rows) {
    const columns = {};
    const add = (name, x, value) => {
      columns[name] ??= { steps: [], times: [], values: [] };
      columns[name].steps.push(x);
      columns[name].times.push(x);
      columns[name].values.push(value);
    };
    for (const row of rows) {
      if (row.kind === "loss") {
        this.#num[twin]++;
        this.#need(`loss ${row.curve}`, row.curve ? `Loss, from line ${row.curve + 1} of backward` : "Loss", true);
        add(`loss ${row.curve}`, row.at, row.value);
      } else {
        for (const [name, value] of Object.entries(row.values)) {
          this.#need(`weight ${name}`, name, false);
          add(`weight ${name}`, row.step, value);
        }
      }
    }
    this.board.rows(twin, 0, columns);
  }

  close() {
    this.board.close();
  }

  #need(name, title, isLoss) {
    if (this.#cards.has(name)) return;
    this.#cards.add(name);
    this.note.hidden = false;
    const curves = TWINS.map(([run, label, number]) =>
      Object.assign(new Curve({ run, name, label, hasGaps: false }), { number }),
    );
    const card = new ChartCard(this.board, { title, curves, isWhole: true, unit: isLoss ? "backward" : "step" });
    (isLoss ? this.losses : this.weights).append(this.board.add(card));
  }
}
