/** Charts that belong together: same axis, smoothing and range; a cursor that runs through all of them. */
import { make } from "../dom.js";
import { change } from "../link.js";
import { onTheme } from "../theme/switch.js";

const REDRAW_MS = 200; // of curves that grow

export class Board {
  #cards = new Set();
  #watched = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: "200px" });
  #dirty = new Set();
  #timer = null;
  #offTheme = onTheme(() => this.redraw());
  #state = "";

  /** `extent(axis)` tells from where to where the run goes, `marks()` what to mark. */
  constructor(query, { extent = () => null, marks = () => [] } = {}) {
    this.extent = extent;
    this.marks = marks;
    this.#read(query);
  }

  add(card) {
    this.#cards.add(card);
    this.#watched.observe(card.element);
    return card.element;
  }

  remove(card) {
    this.#watched.unobserve(card.element);
    this.#cards.delete(card);
    card.hide();
  }

  clear() {
    for (const card of [...this.#cards]) this.remove(card);
  }

  close() {
    this.clear();
    this.#watched.disconnect();
    this.#offTheme();
    clearTimeout(this.#timer);
  }

  redraw() {
    this.#each((card) => card.redraw());
  }

  /** The address has changed. */
  set(query) {
    const [before, range] = [this.#state, `${this.from} ${this.to}`];
    this.#read(query);
    if (range !== `${this.from} ${this.to}`) this.#each((card) => card.reload());
    else if (before !== this.#state) this.redraw();
  }

  isLog(title) {
    return this.isAllLog !== this.flipped.has(title);
  }

  flip(title) {
    const flipped = new Set(this.flipped);
    if (!flipped.delete(title)) flipped.add(title);
    change({ flip: [...flipped] });
  }

  zoom(from, to) {
    change({ from, to }, { isStep: true });
  }

  range() {
    const isZoomed = this.from !== null || this.to !== null;
    const whole = this.extent(this.axis);
    if (!isZoomed) return whole;
    return this.axis === "time" ? null : [this.from ?? whole?.[0] ?? 0, this.to ?? whole?.[1] ?? this.from + 1];
  }

  /** Rows of a rank of a run, by series. */
  rows(run, rank, columns) {
    for (const card of this.#cards) {
      for (const curve of card.curves) {
        if (curve.run !== run || curve.rank !== rank || !columns[curve.name]) continue;
        if (card.append(curve, columns[curve.name])) this.#dirty.add(card);
      }
    }
    this.#timer ??= setTimeout(() => this.#redrawGrown(), REDRAW_MS);
  }

  #redrawGrown() {
    this.#timer = null;
    for (const card of this.#cards) if (this.#dirty.has(card) || this.to === null) card.update(); // the axis grows for all
    this.#dirty.clear();
  }

  #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) target.card.show();
      else target.card.hide();
    }
  }

  #read(query) {
    this.axis = query.get("axis") === "time" ? "time" : "step";
    this.smoothing = Math.min(0.99, Math.max(0, Number(query.get("smooth")) || 0));
    this.isAllLog = query.get("log") === "1";
    this.flipped = new Set(query.getAll("flip"));
    this.from = stepOf(query.get("from"));
    this.to = stepOf(query.get("to"));
    this.#state =
      ["axis", "smooth", "log", "from", "to"].map((name) => `${name}=${query.get(name)}`).join() +
      [...this.flipped].join("\n");
  }

  #each(act) {
    for (const card of this.#cards) act(card);
  }
}

/** The controls of a board: they change the address, the address changes the board. */
export function boardControls(query) {
  const isTime = query.get("axis") === "time";
  const axis = choice(
    "Axis",
    [
      ["step", "Steps"],
      ["time", "Time"],
    ],
    isTime ? "time" : "step",
    (value) => change({ axis: value === "time" ? "time" : null }),
  );
  const smoothing = make("input", {
    type: "range",
    min: "0",
    max: "0.99",
    step: "0.01",
    value: query.get("smooth") ?? "0",
  });
  smoothing.addEventListener("input", () => change({ smooth: Number(smoothing.value) ? smoothing.value : null }));
  const log = make("input", { type: "checkbox", checked: query.get("log") === "1" });
  log.addEventListener("change", () => change({ log: log.checked }));
  const whole = make("button", {
    type: "button",
    class: "small zoom-out",
    on: { click: () => change({ from: null, to: null }, { isStep: true }) },
  });
  const element = make(
    "div",
    { class: "board-controls" },
    axis,
    make("label", { class: "range" }, "Smoothing", smoothing),
    make("label", {}, log, "Log scale"),
    whole,
  );
  const set = (now) => {
    const isZoomed = now.has("from") || now.has("to");
    whole.hidden = !isZoomed;
    whole.textContent = isZoomed ? `Steps ${now.get("from") ?? ""}–${now.get("to") ?? ""} ✕` : "";
    whole.setAttribute("aria-label", "Show all steps again");
    log.checked = now.get("log") === "1";
    if (document.activeElement !== smoothing) smoothing.value = now.get("smooth") ?? "0";
  };
  set(query);
  return { element, set };
}

/** A few buttons of which one is pressed. */
export function choice(label, options, chosen, onChoose) {
  const group = make("div", { class: "choice", role: "group", "aria-label": label });
  for (const [value, text] of options) {
    const button = make("button", { type: "button", "aria-pressed": String(value === chosen) }, text);
    button.addEventListener("click", () => {
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
      onChoose(value);
    });
    group.append(button);
  }
  return group;
}

function stepOf(text) {
  return text === null || text === "" || Number.isNaN(Number(text)) ? null : Math.round(Number(text));
}
