/** Layers × steps in colours: read by pointing, by arrow keys, and by its legend. */
import { themeColour } from "../chart/colour.js";
import { evenTicks } from "../chart/scale.js";
import { make, replace } from "../dom.js";
import { count, tick } from "../number.js";
import { onTheme } from "../theme/switch.js";
import { Scale } from "./scale.js";

const [LOWEST_ROW, HIGHEST_ROW] = [15, 26];
const AXIS = 24;

export class Heatmap {
  #grid = null;
  #scale = null;
  #at = null; // { row, column }
  #drag = null;
  #chosen = null;
  #offTheme = onTheme(() => this.#draw());
  #size = new ResizeObserver(() => this.#draw());

  /** `on`: { row(name), zoom(from, to), reset() }; `describe(value)` for reading a cell. */
  constructor({ label, on, describe }) {
    Object.assign(this, { label, on, describe });
    this.canvas = make("canvas", { tabindex: "0", role: "img" });
    this.labels = make("div", { class: "heat-labels" });
    this.select = make("div", { class: "heat-select", hidden: true });
    this.window = make(
      "div",
      { class: "heat-window" },
      this.labels,
      make("div", { class: "heat-cells" }, this.canvas, this.select),
    );
    this.spacer = make("div", { class: "heat-spacer" }, this.window);
    this.scroll = make("div", { class: "heat-scroll", on: { scroll: () => this.#draw() } }, this.spacer);
    this.axis = make("canvas", { class: "heat-axis", height: AXIS, "aria-hidden": "true" });
    this.read = make("output", { class: "heat-read", "aria-live": "polite" });
    this.legend = make("div", {});
    this.element = make(
      "figure",
      { class: "heat" },
      make("figcaption", {}, this.legend),
      this.scroll,
      this.axis,
      this.read,
    );
    this.#listen();
    this.#size.observe(this.scroll);
  }

  /** Show a grid; `unit` and `scale` tell what its colours mean. */
  set(grid, { unit, ...scale }) {
    if (this.#grid?.rows.length !== grid.rows.length) this.#at = null;
    if (this.#at) this.#at.column = Math.min(this.#at.column, grid.steps.length - 1);
    this.#grid = grid;
    this.#settings = { unit, ...scale };
    this.update();
  }

  #settings = {};

  update() {
    this.#scale = new Scale(this.#grid.all(), this.#settings);
    replace(this.legend, this.#scale.legend(this.#settings.unit));
    const { rows, steps } = this.#grid;
    this.canvas.setAttribute(
      "aria-label",
      `${this.label}: ${rows.length} rows, steps ${this.#grid.first} to ${this.#grid.last}. Arrow keys read cells, Enter opens a row.`,
    );
    const longest = rows.reduce((most, name) => Math.max(most, name.length), 4);
    this.window.style.setProperty("--labels", `${Math.ceil(longest * 7) + 16}px`);
    this.scroll.hidden = this.axis.hidden = !rows.length || !steps.length;
    this.#draw();
  }

  choose(name) {
    this.#chosen = name;
    this.#draw();
  }

  close() {
    this.#size.disconnect();
    this.#offTheme();
  }

  get #rowHeight() {
    return Math.round(Math.min(HIGHEST_ROW, Math.max(LOWEST_ROW, 360 / Math.max(1, this.#grid.rows.length))));
  }

  #draw() {
    if (!this.#grid || !this.scroll.clientWidth) return;
    const { rows } = this.#grid;
    const height = this.#rowHeight;
    this.spacer.style.height = `${rows.length * height}px`;
    const seen = Math.min(rows.length * height, this.scroll.clientHeight || 600);
    this.window.style.height = `${seen}px`;
    const first = Math.floor(this.scroll.scrollTop / height);
    const num = Math.min(rows.length - first, Math.ceil(seen / height) + 1);
    this.#drawLabels(first, num);
    this.#drawCells(first, num, seen);
    this.#drawAxis();
  }

  #drawLabels(first, num) {
    const shift = first * this.#rowHeight - this.scroll.scrollTop;
    const height = this.#rowHeight;
    replace(
      this.labels,
      this.#grid.rows.slice(first, first + num).map((name, i) => {
        const open = () => this.on.row(name);
        const button = make(
          "button",
          { type: "button", title: name, "aria-pressed": String(name === this.#chosen), on: { click: open } },
          make("bdi", {}, name),
        );
        button.style.top = `${shift + i * height}px`;
        button.style.height = `${height}px`;
        button.style.lineHeight = `${height}px`;
        return button;
      }),
    );
  }

  #drawCells(first, num, seen) {
    const grid = this.#grid;
    const ctx = prepared(this.canvas, this.canvas.parentElement.clientWidth, seen);
    const width = this.canvas.parentElement.clientWidth;
    const height = this.#rowHeight;
    const shift = first * height - this.scroll.scrollTop;
    const [zero, odd, none, missing] = ["heat-zero", "error", "raised", "heat-missing"].map(themeColour);
    const lefts = [...grid.steps.map((step) => Math.round(this.#x(step, width))), width]; // whole pixels leave no seams
    ctx.fillStyle = none;
    ctx.fillRect(0, 0, width, seen);
    for (let row = first; row < first + num; row++) {
      const top = shift + (row - first) * height;
      for (let column = 0; column < grid.steps.length; column++) {
        const value = grid.values[row][column];
        if (value === null) continue;
        if (Number.isFinite(value)) ctx.fillStyle = this.#scale.colour(value) ?? zero;
        else ctx.fillStyle = this.#scale.isMissing(value) ? missing : odd;
        ctx.fillRect(lefts[column], top, Math.max(1, lefts[column + 1] - lefts[column]), height - 1);
      }
    }
    this.#drawPlace(ctx, lefts, first, shift);
  }

  #drawPlace(ctx, lefts, first, shift) {
    const height = this.#rowHeight;
    ctx.strokeStyle = themeColour("text");
    ctx.lineWidth = 1.5;
    const chosen = this.#grid.rows.indexOf(this.#chosen);
    if (chosen >= 0) ctx.strokeRect(0.75, shift + (chosen - first) * height + 0.25, lefts.at(-1) - 1.5, height - 1.5);
    if (!this.#at) return;
    const { row, column } = this.#at;
    ctx.strokeStyle = themeColour("focus-on-heat");
    ctx.lineWidth = 2;
    ctx.strokeRect(
      lefts[column] - 0.5,
      shift + (row - first) * height - 0.5,
      Math.max(4, lefts[column + 1] - lefts[column]),
      height,
    );
  }

  #drawAxis() {
    const width = this.canvas.parentElement.clientWidth;
    const offset = this.labels.offsetWidth;
    const ctx = prepared(this.axis, this.scroll.clientWidth, AXIS);
    ctx.fillStyle = themeColour("quiet");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillText("step", 2, AXIS / 2);
    for (const step of evenTicks(this.#grid.first, this.#grid.last, width / 90).filter(Number.isInteger)) {
      const x = offset + this.#x(step, width);
      ctx.fillRect(x, 0, 1, 5);
      const text = tick(step);
      ctx.fillText(text, Math.min(x - 3, offset + width - ctx.measureText(text).width - 1), AXIS / 2 + 3);
    }
  }

  #x(step, width) {
    const { first, last } = this.#grid;
    return ((step - first) / Math.max(1, last + 1 - first)) * width;
  }

  #cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { first, last, rows } = this.#grid;
    const step = first + ((event.clientX - box.left) / box.width) * (last + 1 - first);
    const row = Math.floor((event.clientY - box.top + this.scroll.scrollTop) / this.#rowHeight);
    return {
      row: Math.min(rows.length - 1, Math.max(0, row)),
      column: this.#grid.columnAt(step),
      step: Math.round(step),
    };
  }

  #point(at) {
    this.#at = at;
    if (at) {
      const value = this.#grid.values[at.row][at.column];
      const [begin, end] = [this.#grid.steps[at.column], this.#grid.end(at.column) - 1];
      const steps = end > begin ? `steps ${count(begin)}–${count(end)}` : `step ${count(begin)}`;
      const told =
        value === null ? "not sampled" : this.#scale.isMissing(value) ? this.#scale.missing : this.describe(value);
      this.read.textContent = `${this.#grid.rows[at.row]} · ${steps} · ${told}`;
    } else this.read.textContent = "";
    this.#draw();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      this.#drag = { x: event.clientX, step: this.#cellAt(event).step };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.#point(this.#cellAt(event));
      if (this.#drag) this.#showSelect(event);
    });
    canvas.addEventListener("pointerleave", () => this.#point(null));
    canvas.addEventListener("pointerup", (event) => this.#released(event));
    canvas.addEventListener("dblclick", () => this.on.reset());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => this.#point(null));
  }

  #showSelect(event) {
    const box = this.canvas.getBoundingClientRect();
    const [left, right] = [this.#drag.x, event.clientX]
      .sort((one, two) => one - two)
      .map((x) => Math.min(box.width, Math.max(0, x - box.left)));
    this.select.hidden = right - left < 8;
    this.select.style.left = `${left}px`;
    this.select.style.width = `${right - left}px`;
  }

  #released(event) {
    const drag = this.#drag;
    this.#drag = null;
    this.select.hidden = true;
    if (!drag) return;
    const at = this.#cellAt(event);
    if (Math.abs(event.clientX - drag.x) < 8) this.on.row(this.#grid.rows[at.row]);
    else this.on.zoom(...[drag.step, at.step].sort((one, two) => one - two));
  }

  #key(event) {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Enter" && this.#at) this.on.row(this.#grid.rows[this.#at.row]);
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    const { row, column } = this.#at ?? { row: 0, column: this.#grid.steps.length - 1 };
    const at = {
      row: clamp(row + down, this.#grid.rows.length),
      column: clamp(column + right, this.#grid.steps.length),
    };
    const top = at.row * this.#rowHeight;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    const seen = this.scroll.clientHeight - this.#rowHeight;
    if (top > this.scroll.scrollTop + seen) this.scroll.scrollTop = top - seen;
    this.#point(at);
  }
}

function clamp(number, length) {
  return Math.min(length - 1, Math.max(0, number));
}

/** A context that draws in CSS pixels. */
export function prepared(canvas, width, height) {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  return ctx;
}
