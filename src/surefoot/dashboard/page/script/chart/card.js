/** A chart with its title, its legend and its buttons. Drawn while it is in view, and only then. */
import { make, replace } from "../dom.js";
import { clock, count, short } from "../number.js";
import { curveColour } from "./colour.js";
import { want } from "./feed.js";
import { everyText } from "./gap.js";
import { Plot } from "./plot.js";
import { saveCsv, savePng } from "./save.js";

export class ChartCard {
  #plot = null;
  #isLoaded = false;
  #isLoading = false;
  #generation = 0;
  #arrived = []; // rows that came while the server was asked
  #hidden = new Set();
  #cursor = null;
  #isShown = false;
  #width = 0; // as the browser tells it: asking would make it lay out the page for each chart
  #height = 0;
  #size = new ResizeObserver(([{ contentRect }]) => this.#resized(contentRect));

  /**
   * `board` has the settings and the marks that all its charts share; `isWhole`: its curves have all there is; `unit`:
   * what the axis counts.
   */
  constructor(board, { title, curves, format = undefined, isWhole = false, unit = "step" }) {
    Object.assign(this, { board, title, curves, format, isWhole, unit });
    this.#isLoaded = isWhole;
    this.place = make("div", { class: "plot" });
    this.legend = make("ul", { class: "legend", "aria-label": `Curves of ${title}` });
    this.note = make("p", { class: "chart-note", hidden: true });
    this.logButton = this.#button("log", `log scale for ${title}`, () => board.flip(title));
    const tools = make(
      "div",
      { class: "chart-tools" },
      this.logButton,
      this.#button(
        "PNG",
        `Save ${title} as PNG`,
        () => this.#plot && savePng(title, this.#plot.canvas, this.#entries()),
      ),
      this.#button("CSV", `Save ${title} as CSV`, () => saveCsv(title, this.curves)),
    );
    this.at = make("span", { class: "at" });
    const head = make("header", {}, make("h3", { title }, title), this.at, tools);
    this.element = make("section", { class: "chart", "aria-label": title }, head, this.legend, this.place, this.note);
    this.element.card = this;
    this.#showLegend();
  }

  get isLog() {
    return this.board.isLog(this.title);
  }

  show() {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#size.observe(this.place);
  }

  hide() {
    this.#isShown = false;
    this.#width = 0;
    this.#size.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  /** Settings or the theme changed. */
  redraw() {
    this.#showLegend();
    if (this.#plot) this.#build();
  }

  /** The range changed: what is there is shown at once, what is missing asked for. */
  reload() {
    this.#isLoaded = this.isWhole;
    this.redraw();
    if (this.#isShown && this.#width && !this.isWhole) this.#load();
  }

  /** New rows of one of its curves. */
  append(curve, rows) {
    if (this.#isLoading) this.#arrived.push([curve, rows]);
    else if (this.#isLoaded) return curve.append(rows, this.isWhole ? Infinity : (this.board.to ?? Infinity));
    return false;
  }

  update() {
    this.#plot?.update();
    this.#showValues();
  }

  async #load() {
    const generation = ++this.#generation;
    this.#isLoading = true;
    this.element.setAttribute("aria-busy", "true");
    const { from, to } = this.board;
    const buckets = Math.min(1200, Math.ceil(Math.max(200, this.#width) / 100) * 100);
    try {
      const asked = this.curves.map(({ run, runs, rank, name }) => want({ run, runs, rank, name, from, to, buckets }));
      const answers = await Promise.all(asked);
      if (generation !== this.#generation) return;
      this.curves.forEach((curve, number) => answers[number] && curve.load(answers[number]));
      this.#tell(null);
      this.#isLoaded = true;
    } catch (error) {
      if (generation === this.#generation) this.#tell(error.message);
    }
    if (generation !== this.#generation) return;
    this.#isLoading = false;
    for (const [curve, rows] of this.#arrived.splice(0)) curve.append(rows, this.board.to ?? Infinity);
    this.element.setAttribute("aria-busy", "false");
    this.element.classList.add("loaded");
    this.#showLegend();
    if (this.#isShown) this.#build();
  }

  #resized({ width, height }) {
    [this.#width, this.#height] = [width, height];
    if (this.#plot) this.#plot.resize(width, height);
    else if (this.#isLoaded) this.#build();
    else if (!this.#isLoading) this.#load();
  }

  #build() {
    this.#plot?.destroy();
    const shown = this.curves.filter((curve) => !this.#hidden.has(curve));
    const { axis, smoothing } = this.board;
    const settings = { axis, smoothing, isLog: this.isLog, range: () => this.board.range(), format: this.format };
    const size = { width: this.#width, height: this.#height };
    this.#plot = new Plot(this.place, size, shown, settings, () => this.board.marks(), {
      zoom: (from, to) => this.board.zoom(from, to),
      reset: () => this.board.zoom(null, null),
      cursor: (x) => {
        this.#cursor = x;
        this.#showValues();
      },
    });
    this.logButton.setAttribute("aria-pressed", String(this.isLog));
  }

  #showLegend() {
    this.values = this.curves.map(() => make("span", { class: "value" }));
    this.every = this.curves.map(() => make("span", { class: "every" }));
    replace(
      this.legend,
      this.curves.map((curve, number) => {
        curve.number ??= number;
        const swatch = make("span", { class: "swatch" });
        swatch.style.background = curveColour(curve.number);
        const name = make("span", { class: "name", title: curve.label }, curve.label);
        if (this.curves.length === 1) return make("li", {}, swatch, name, this.values[number], this.every[number]);
        const isShown = !this.#hidden.has(curve);
        const toggle = () => this.#toggle(curve);
        return make(
          "li",
          {},
          make("button", { type: "button", "aria-pressed": String(isShown), on: { click: toggle } }, swatch, name),
          this.values[number],
          this.every[number],
        );
      }),
    );
    this.#showValues();
  }

  #toggle(curve) {
    if (!this.#hidden.delete(curve)) this.#hidden.add(curve);
    this.redraw();
    this.legend.children[this.curves.indexOf(curve)].querySelector("button").focus(); // it was made anew
  }

  #showValues() {
    const format = this.format ?? short;
    const { axis } = this.board;
    this.at.textContent =
      this.#cursor === null ? "" : axis === "time" ? clock(this.#cursor) : `${this.unit} ${count(Math.round(this.#cursor))}`;
    this.curves.forEach((curve, number) => {
      const value = this.#cursor === null ? curve.lastFinite() : curve.valueAt(this.#cursor, axis);
      const text = curve.length ? (value === null ? "–" : format(value)) : "";
      if (this.values[number].textContent !== text) this.values[number].textContent = text;
      const every = everyText(curve.every, this.unit);
      if (this.every[number].textContent === every) return;
      this.every[number].textContent = every;
      this.every[number].title = every && `There is a value ${every}. Where values are farther apart, no line joins them.`;
    });
    this.#tellNonfinite();
  }

  #tellNonfinite() {
    const num = this.curves.reduce((sum, curve) => sum + curve.numNonfinite, 0);
    this.element.classList.toggle("has-nonfinite", num > 0);
    if (this.note.dataset.kind !== "error") this.note.hidden = true;
    if (this.isLog && this.#isLoaded && this.#hasNothingPositive())
      return this.#tell("Nothing above zero: a log scale can't show it.", "log");
    if (!num || this.note.dataset.kind === "error") return;
    const first = Math.min(...this.curves.flatMap((curve) => curve.nonfinite.map(({ step }) => step)));
    this.note.hidden = false;
    this.note.dataset.kind = "nonfinite";
    // A parameter that gets no gradient has no norm either.
    const what = this.curves[0].name.startsWith("grad_norm/") ? "without gradient, or not finite" : "not finite";
    this.note.textContent =
      num === 1
        ? `1 value ${what}, at ${this.unit} ${count(first)}`
        : `${count(num)} values ${what}, the first at ${this.unit} ${count(first)}`;
  }

  #hasNothingPositive() {
    return this.curves.every((curve) => curve.length && !curve.highs.some((value) => value > 0));
  }

  #tell(problem, kind = "error") {
    this.note.hidden = problem === null;
    this.note.dataset.kind = problem === null ? "" : kind;
    this.note.textContent = problem ?? "";
  }

  #entries() {
    return this.curves
      .filter((curve) => !this.#hidden.has(curve))
      .map((curve) => ({ label: curve.label, colour: curveColour(curve.number) }));
  }

  #button(text, label, click) {
    return make(
      "button",
      { class: "quiet small", type: "button", title: label, "aria-label": label, on: { click } },
      text,
    );
  }
}
