/** Histograms over time: a column a step, a row a bin, colour is the share of values. */
import { themeColour } from "../chart/colour.js";
import { make } from "../dom.js";
import { count, tick } from "../number.js";
import { onTheme } from "../theme/switch.js";
import { prepared } from "./heatmap.js";
import { rampColour } from "./ramp.js";

const [LEFT, BOTTOM, HEIGHT] = [50, 20, 190];
const ENDLESS = 1e38; // the outermost bins are open

export class HistogramMap {
  #data = null;
  #offTheme = onTheme(() => this.#draw());
  #size = new ResizeObserver(() => this.#draw());

  constructor(title) {
    this.canvas = make("canvas", { role: "img", "aria-label": `${title} over time` });
    this.place = make("div", { class: "plot hist" }, this.canvas);
    this.read = make("p", { class: "legend" });
    this.element = make(
      "section",
      { class: "chart", "aria-label": title },
      make("header", {}, make("h3", { title }, title)),
      this.read,
      this.place,
    );
    this.canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.canvas.addEventListener("pointerleave", () => this.#tell(null));
    this.#size.observe(this.place);
  }

  /** { steps, edges, counts: one list a step } */
  set(data) {
    const filled = data.edges.slice(0, -1).map((_, bin) => data.counts.some((counts) => counts[bin] > 0));
    const [first, last] = [filled.indexOf(true), filled.lastIndexOf(true)];
    this.#data = first < 0 ? null : { ...data, first, last };
    this.#tell(null);
    this.#draw();
  }

  fail(error) {
    this.read.textContent = error.message;
  }

  close() {
    this.#size.disconnect();
    this.#offTheme();
  }

  #draw() {
    const width = this.place.clientWidth;
    if (!width) return;
    const ctx = prepared(this.canvas, width, HEIGHT);
    if (!this.#data) return;
    const { steps, counts, first, last } = this.#data;
    ctx.fillStyle = themeColour("raised");
    ctx.fillRect(LEFT, 0, width - LEFT, HEIGHT - BOTTOM);
    const binHeight = (HEIGHT - BOTTOM) / (last - first + 1);
    const highest = Math.max(...counts.map((some) => Math.max(...some) / sum(some)));
    steps.forEach((step, i) => {
      const [x, end] = [this.#x(i, width), this.#x(i + 1, width)];
      const all = sum(counts[i]);
      for (let bin = first; bin <= last; bin++) {
        if (!counts[i][bin]) continue;
        ctx.fillStyle = rampColour(Math.sqrt(counts[i][bin] / all / highest));
        ctx.fillRect(x, (last - bin) * binHeight, Math.max(1, end - x), Math.max(1, binHeight - 0.5));
      }
    });
    this.#drawAxes(ctx, width, binHeight);
  }

  #drawAxes(ctx, width, binHeight) {
    const { steps, edges, first, last } = this.#data;
    ctx.fillStyle = themeColour("quiet");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    const every = Math.ceil(18 / binHeight);
    const middle = edges.findIndex((edge) => edge > 0);
    for (let bin = first; bin <= last + 1; bin++) {
      if (Math.abs(edges[bin]) > ENDLESS || (bin - middle) % every) continue;
      ctx.fillText(
        edgeText(edges[bin]),
        LEFT - 6,
        Math.min(HEIGHT - BOTTOM - 5, Math.max(6, (last + 1 - bin) * binHeight)),
      );
    }
    ctx.textAlign = "center";
    const apart = Math.ceil(steps.length / Math.max(1, Math.floor((width - LEFT) / 60)));
    for (let at = 0; at < steps.length; at += apart) {
      ctx.fillText(
        tick(steps[at]),
        Math.min(width - 12, (this.#x(at, width) + this.#x(at + 1, width)) / 2),
        HEIGHT - BOTTOM / 2 + 1,
      );
    }
  }

  /** Columns are equally wide: histograms are taken when there is time for it. */
  #x(column, width) {
    return LEFT + (column / this.#data.steps.length) * (width - LEFT);
  }

  #point(event) {
    if (!this.#data) return;
    const { steps, edges, counts, first, last } = this.#data;
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * steps.length);
    const bin = last - Math.floor(((event.clientY - box.top) / (HEIGHT - BOTTOM)) * (last - first + 1));
    if (column < 0 || column >= steps.length || bin < first || bin > last) return this.#tell(null);
    const share = counts[column][bin] / sum(counts[column]);
    this.#tell(
      `step ${count(steps[column])} · ${edgeText(edges[bin])} to ${edgeText(edges[bin + 1])} · ${(100 * share).toFixed(1)} %`,
    );
  }

  #tell(text) {
    if (!this.#data) this.read.textContent = "no histogram yet: one is taken every few seconds at most";
    else this.read.textContent = text ?? `${this.#data.steps.length} histograms; light: many values`;
  }
}

function edgeText(edge) {
  if (Math.abs(edge) > ENDLESS) return edge > 0 ? "∞" : "−∞";
  const size = Math.abs(edge);
  return size >= 0.01 || size === 0 ? String(Number(edge.toPrecision(2))) : edge.toExponential(1).replace("e-0", "e-");
}

function sum(values) {
  return values.reduce((one, two) => one + two, 0) || 1;
}
