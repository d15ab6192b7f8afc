/** The surface with the paths on it, and a handle that sets where they start. */
import { make } from "../dom.js";
import { short } from "../number.js";
import { onTheme } from "../theme/switch.js";
import { MARGIN, drawGround, placing } from "./ground.js";
import { drawNumbers, drawTrail } from "./trail.js";

const SHAPE = 3 / 4; // of every surface
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

export class SurfaceMap {
  #ground = make("canvas", { "aria-hidden": "true" });
  #paths = make("canvas", { role: "img", class: "lab-paths" });
  #handle = make("button", { type: "button", class: "lab-start" });
  #size = new ResizeObserver(([{ contentRect }]) => this.#resized(contentRect.width));
  #offTheme = onTheme(() => this.#drawAll());
  #frame = null;
  #surface = null;
  #start = [0, 0];
  #shown = [];
  #onStart;

  /** `onStart([w0, w1])` is told where somebody wants to begin. */
  constructor(onStart) {
    this.#onStart = onStart;
    this.element = make("div", { class: "lab-map" }, this.#ground, this.#paths, this.#handle);
    this.#size.observe(this.element);
    this.#paths.addEventListener("pointerdown", (event) => this.#pressed(event));
    this.#handle.addEventListener("pointerdown", (event) => this.#pressed(event));
    this.#handle.addEventListener("keydown", (event) => this.#moved(event));
  }

  close() {
    this.#size.disconnect();
    this.#offTheme();
  }

  setSurface(surface) {
    if (surface === this.#surface) return;
    this.#surface = surface;
    this.#shown = [];
    this.#drawAll();
  }

  setStart(start) {
    this.#start = start;
    this.#placeHandle();
  }

  /** `paths`: answers of the server; `words` say the same to those who do not see it. */
  setPaths(paths, words) {
    this.#shown = paths;
    this.#paths.setAttribute("aria-label", words);
    this.#drawPaths();
  }

  #resized(width) {
    const [across, ratio] = [width - MARGIN.left - MARGIN.right, devicePixelRatio];
    if (across < 40) return;
    this.#frame = { left: MARGIN.left, top: MARGIN.top, width: Math.floor(across), height: Math.floor(across * SHAPE) };
    const height = this.#frame.height + MARGIN.top + MARGIN.bottom;
    this.element.style.height = `${height}px`;
    for (const canvas of [this.#ground, this.#paths]) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    }
    this.#drawAll();
  }

  #drawAll() {
    if (!this.#frame || !this.#surface) return;
    drawGround(this.#ground, this.#surface, this.#frame, devicePixelRatio);
    this.#drawPaths();
    this.#placeHandle();
  }

  #drawPaths() {
    if (!this.#frame || !this.#surface) return;
    const [ctx, to] = [this.#paths.getContext("2d"), placing(this.#surface, this.#frame)];
    ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    ctx.clearRect(0, 0, this.#paths.width, this.#paths.height);
    const ends = this.#shown.map(({ w0, w1 }, number) =>
      drawTrail(ctx, w0.map((value, i) => [to.x(value), to.y(w1[i])]), number, this.#frame),
    );
    drawNumbers(ctx, ends.filter(Boolean), this.#frame);
  }

  #placeHandle() {
    if (!this.#frame || !this.#surface) return;
    const to = placing(this.#surface, this.#frame);
    const [w0, w1] = this.#start.map(Number);
    const { left, top, width, height } = this.#frame;
    const [x, y] = [to.x(w0), to.y(w1)];
    this.#handle.hidden = !Number.isFinite(x + y);
    this.#handle.style.left = `${Math.min(left + width, Math.max(left, x))}px`;
    this.#handle.style.top = `${Math.min(top + height, Math.max(top, y))}px`;
    const label = `Start at w0 ${short(w0)}, w1 ${short(w1)}. Drag it, or move it with the arrow keys.`;
    this.#handle.setAttribute("aria-label", label);
    this.#handle.title = label;
  }

  #pressed(event) {
    if (event.button !== 0 || !this.#frame) return;
    const isHandle = event.currentTarget === this.#handle;
    if (event.pointerType !== "mouse" && !isHandle) return void this.#tapped(event); // a finger scrolls the page
    event.preventDefault();
    this.#handle.focus({ preventScroll: true });
    this.#handle.setPointerCapture(event.pointerId);
    if (!isHandle) this.#startAt(event);
    const move = (moved) => this.#startAt(moved);
    const end = () => {
      this.#handle.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) this.#handle.removeEventListener(name, end);
    };
    this.#handle.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) this.#handle.addEventListener(name, end);
  }

  #tapped() {
    this.#paths.addEventListener("click", (event) => this.#startAt(event), { once: true });
  }

  #startAt({ clientX, clientY }) {
    const box = this.element.getBoundingClientRect();
    const { left, top, width, height } = this.#frame;
    const x = Math.min(left + width, Math.max(left, clientX - box.left));
    const y = Math.min(top + height, Math.max(top, clientY - box.top));
    const to = placing(this.#surface, this.#frame);
    this.#tell([to.w0(x), to.w1(y)]);
  }

  #moved(event) {
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    const far = event.shiftKey ? 0.1 : 0.01;
    const { low, high } = this.#surface;
    this.#tell(way.map((sign, i) => Number(this.#start[i]) + sign * far * (high[i] - low[i])));
  }

  /** As exact as a pixel is. */
  #tell(start) {
    this.#onStart(start.map((value) => Number(value.toFixed(2))));
  }
}
