/** Curves drawn by uPlot. Built anew when settings change; data alone is only set. */
import uPlot from "../../vendor/uPlot.esm.js";
import { clock, tick } from "../number.js";
import { broken } from "./gap.js";
import { curveColour, curveDash, faded, themeColour } from "./colour.js";
import { joinAxes, spread } from "./join.js";
import { drawMarks, markLinks } from "./mark.js";
import { apart, logRange, logTicks, xRange, yRange, yWidth } from "./scale.js";
import { smooth } from "./smooth.js";

const SPARSE = 25; // points that are so few are drawn as such
const DOT_PIXELS = 5; // of room that a sampled value needs to be drawn as a dot
const LOG_TICKS = {
  splits: (u, axis, low, high) => logTicks(low, high, Math.max(2, u.bbox.height / devicePixelRatio / 34)),
  filter: (u, ticks) => ticks, // all of them have their number
};
const FONT = "11px system-ui, sans-serif";

export class Plot {
  #u;
  #curves;
  #settings;
  #marks;

  /**
   * `settings`: { axis, isLog, smoothing, range() -> [first, last] or null, format }.
   * `on`: { zoom(firstStep, lastStep), reset(), cursor(x or null) }.
   */
  constructor(place, { width, height }, curves, settings, marks, on) {
    this.#curves = curves;
    this.#settings = settings;
    this.#marks = marks;
    const size = { width: Math.max(80, width), height: Math.max(80, height) };
    this.#u = new uPlot({ ...size, ...this.#options(on) }, this.#data(), place);
    this.#u.root.setAttribute("aria-hidden", "true"); // the card tells it in words
  }

  get canvas() {
    return this.#u.ctx.canvas;
  }

  update() {
    this.#u.setData(this.#data());
  }

  resize(width, height) {
    if (width > 0 && (width !== this.#u.width || height !== this.#u.height)) this.#u.setSize({ width, height });
  }

  destroy() {
    this.#u.destroy();
  }

  #data() {
    const { axis, smoothing } = this.#settings;
    const drawn = this.#curves.map((curve) => {
      const line = this.#drawable(smooth(curve.lasts, smoothing));
      const raw = [this.#drawable(curve.lows), this.#drawable(curve.highs)];
      const columns = [...raw, smoothing ? this.#drawable(curve.lasts) : [], line];
      return broken(curve.xs(axis), columns, curve.breaks);
    });
    const joined = joinAxes(drawn.map(([xs]) => xs));
    return [joined, ...drawn.flatMap(([xs, columns]) => spread(xs, columns, joined))];
  }

  #drawable(values) {
    return this.#settings.isLog ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
  }

  #options(on) {
    const { axis, isLog, range, format = tick } = this.#settings;
    const [quiet, line] = [themeColour("quiet"), themeColour("grid")];
    const frame = { stroke: quiet, font: FONT, ticks: { show: false }, grid: { stroke: line, width: 1 } };
    const formatX = axis === "time" ? clock : tick;
    return {
      padding: [10, 10, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: (u, low, high) => xRange(range(), low, high) },
        y: { distr: isLog ? 3 : 1, range: (u, low, high) => (isLog ? logRange : yRange)(low, high) },
      },
      axes: [
        {
          ...frame,
          size: 20,
          gap: 3,
          space: 70,
          values: (u, ticks) => ticks.map((value) => formatX(value, apart(ticks))),
        },
        {
          ...frame,
          size: yWidth,
          gap: 4,
          space: 28,
          ...(isLog ? LOG_TICKS : {}),
          values: (u, ticks) => ticks.map((value) => (value === null ? "" : format(value, apart(ticks)))),
        },
      ],
      series: [{}, ...this.#curves.flatMap((curve, number) => this.#lines(curve, number))],
      bands: this.#curves.flatMap((curve, number) =>
        curve.isExact ? [] : [{ series: [4 * number + 2, 4 * number + 1], fill: faded(colourOf(curve, number), 0.2) }],
      ),
      cursor: {
        points: { show: false },
        y: false,
        drag: { x: true, y: false, setScale: false },
        sync: { key: `steps-${axis}`, scales: ["x", null], setSeries: false, filters: { pub: isMove } },
        bind: { dblclick: () => () => on.reset() },
      },
      hooks: {
        draw: [(u) => this.#mark(u)],
        setCursor: [(u) => on.cursor(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null)],
        setSelect: [(u) => this.#zoomed(u, on)],
      },
    };
  }

  /** Low, high, what was logged, and the line. */
  #lines(curve, number) {
    const colour = colourOf(curve, number);
    const unseen = { width: 0, stroke: "transparent", points: { show: false } };
    const dash = curveDash(curve.number ?? number);
    const raw = { stroke: faded(colour, 0.35), width: 1, show: this.#settings.smoothing > 0, points: { show: false } };
    const isSparse = (u, index) =>
      (curve.length < SPARSE && u.data[index].length < SPARSE * 20) ||
      (curve.isSampled && curve.length * DOT_PIXELS < u.width);
    const isSampled = curve.isExact && curve.isSampled;
    return [
      unseen,
      unseen,
      raw,
      { stroke: colour, width: isSampled ? 1 : 1.6, dash, points: { show: isSparse, filter: alone, size: 4, fill: colour } },
    ];
  }

  #mark(u) {
    drawMarks(u, this.#curves, this.#settings);
    markLinks(u, this.#marks(), (step) => this.#xOfStep(step));
  }

  #xOfStep(step) {
    for (const curve of this.#curves) {
      const x = curve.xOfStep(step, this.#settings.axis);
      if (x !== null) return x;
    }
    return null;
  }

  #zoomed(u, on) {
    const { left, width } = u.select;
    if (width < 4 || !this.#curves.some((curve) => curve.length)) return;
    const longest = this.#curves.reduce((one, two) => (two.length > one.length ? two : one));
    const [first, last] = [left, left + width].map((at) => longest.stepOfX(u.posToVal(at, "x"), this.#settings.axis));
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (last > first) on.zoom(Math.max(0, first), last);
  }
}

function colourOf(curve, number) {
  return curveColour(curve.number ?? number);
}

/** Points that no line reaches, where not all are drawn as dots. */
function alone(u, index, isShown) {
  if (isShown) return null;
  const values = u.data[index];
  const known = [];
  for (let i = 0; i < values.length; i++) if (values[i] !== undefined) known.push(i);
  const isAlone = (i, at) => values[i] !== null && values[known[at - 1]] == null && values[known[at + 1]] == null;
  return known.filter(isAlone);
}

function isMove(type) {
  return type === "mousemove" || type === "mouseleave";
}
