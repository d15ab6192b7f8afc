/** A chart of any table: which column is the axis, which is drawn, which tells curves apart. */
import { Board } from "../chart/board.js";
import { ChartCard } from "../chart/card.js";
import { Curve } from "../chart/curve.js";
import { make, replace } from "../dom.js";

const MOST_CURVES = 16;

export function quickChart(columns, rows) {
  const numbers = columns.filter(
    (_, i) =>
      rows.some((row) => typeof row[i] === "number") &&
      rows.every((row) => row[i] === null || typeof row[i] === "number" || isOdd(row[i])),
  );
  if (numbers.length < 2) return null;
  const others = columns.filter((name) => !numbers.includes(name));
  const pick = (label, names, chosen) => {
    const select = make(
      "select",
      { on: { change: draw } },
      names.map((name) => make("option", { value: name, selected: name === chosen }, name || "nothing")),
    );
    return { select, label: make("label", {}, label, select) };
  };
  const x = pick("Axis", numbers, numbers.includes("step") ? "step" : numbers[0]);
  const y = pick(
    "Value",
    numbers,
    numbers.find((name) => name !== x.select.value),
  );
  const split = pick(
    "A curve for each",
    ["", ...others],
    others.find((name) => name === "name" || name === "run") ?? "",
  );
  const place = make("div", {});
  let board = null;

  function draw() {
    board?.close();
    board = new Board(new URLSearchParams());
    const card = new ChartCard(board, {
      title: `${y.select.value} by ${x.select.value}`,
      isWhole: true,
      curves: curves(),
    });
    replace(place, board.add(card));
    card.element.classList.add("tall");
  }

  function curves() {
    const [atX, atY, atSplit] = [x, y, split].map(({ select }) => columns.indexOf(select.value));
    const groups = new Map();
    for (const row of rows) {
      if (typeof row[atX] !== "number") continue;
      const key = atSplit < 0 ? y.select.value : String(row[atSplit]);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push([row[atX], row[atY]]);
    }
    return [...groups].slice(0, MOST_CURVES).map(([label, points]) => curveOf(label, points));
  }

  draw();
  return make(
    "details",
    { open: columns.includes("step") },
    make("summary", {}, "Chart"),
    make("div", { class: "toolbar" }, x.label, y.label, others.length ? split.label : null),
    place,
  );
}

function curveOf(label, points) {
  points.sort((one, two) => one[0] - two[0]);
  const xs = points.map(([x]) => x);
  const values = points.map(([, y]) => (typeof y === "number" ? y : null));
  const curve = new Curve({ run: "", name: label, label });
  const nonfinite = points.filter(([, y]) => isOdd(y)).map(([step, value]) => ({ step, value }));
  curve.load({
    steps: xs,
    times: xs,
    lows: values,
    highs: values,
    lasts: values,
    nonfinite,
    num_nonfinite: nonfinite.length,
    is_exact: true,
  });
  return curve;
}

export function isOdd(value) {
  return value === "NaN" || value === "Infinity" || value === "-Infinity";
}
