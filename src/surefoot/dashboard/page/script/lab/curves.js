/** Loss, rate and gradient norm by update, as the other charts are drawn. */
import { Board } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { replace } from "../dom.js";

const CHARTS = [
  ["Loss", "loss", 0],
  ["Learning rate", "rate", 1],
  ["Gradient norm", "grad_norm", 1],
];
const LOG = new Set(["Loss", "Gradient norm"]); // unless somebody flips them

class LabBoard extends Board {
  isLog(title) {
    return LOG.has(title) !== super.isLog(title);
  }
}

export class Curves {
  #board;
  #cards = [];
  #names = "";

  constructor(place, query) {
    this.place = place;
    this.#board = new LabBoard(query);
  }

  set(query) {
    this.#board.set(query);
  }

  /** `paths`: answers with their `name`. Charts stay as long as they are about the same paths. */
  show(paths) {
    const names = paths.map(({ name }) => name).join("\n");
    if (names !== this.#names) this.#make(paths);
    this.#names = names;
    this.#cards.forEach((card, chart) => {
      const [, column, first] = CHARTS[chart];
      card.curves.forEach((curve, i) => fill(curve, paths[i][column], first));
      card.update();
    });
  }

  close() {
    this.#board.close();
  }

  #make(paths) {
    this.#board.clear();
    this.#cards = CHARTS.map(([title]) => {
      const curves = paths.map(({ name }, i) => new Curve({ run: "", name: title, label: `${i + 1}  ${name}` }));
      return new ChartCard(this.#board, { title, curves, isWhole: true });
    });
    replace(this.place, this.#cards.map((card) => this.#board.add(card)));
  }
}

function fill(curve, values, first) {
  const steps = values.map((_, i) => i + first);
  const odd = values.map((value, i) => ({ step: steps[i], value })).filter(({ value }) => typeof value !== "number");
  const columns = { steps, times: steps, lows: values, highs: values, lasts: values };
  curve.load({ ...columns, nonfinite: odd, num_nonfinite: odd.length, is_exact: true });
}
