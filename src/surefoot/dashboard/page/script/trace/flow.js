/** A step drawn from top to bottom: its stages, with arrows; micro-batches of a window in a box. */
import { make } from "../dom.js";
import { bars } from "./bars.js";
import { finding } from "./detail.js";
import { groups } from "./model.js";
import { lineOf, summary } from "./summary.js";
import { number } from "./word.js";

const MOST_OPEN = 4; // micro-batches: of more, those that are looked at
const AT_ONCE = 200; // stages drawn before one asks for more

/** Drawn once; which stage is chosen changes. `href(at)` is the address of a stage. */
export class Flow {
  #stretches = []; // { knots, list, numDrawn, box }: what is in one list
  #cards = new Map(); // by knot
  #chosen = null;

  constructor(step, trace, source, href) {
    Object.assign(this, { trace, source, href });
    this.element = make("ol", { class: "flow", "aria-label": `Stages of step ${step.number}` });
    for (const group of groups(step)) {
      if (group.parts) this.element.append(this.#window(group));
      else this.#fill(this.#stretch(group.knots, this.element));
    }
    this.element.addEventListener("keydown", (event) => walk(this.element, event));
  }

  /** Mark a stage, drawn and unfolded if it is not yet: { element, alike }; null if there is none. */
  choose(at) {
    this.#chosen?.firstElementChild.removeAttribute("aria-current");
    this.#chosen = null;
    for (const stretch of this.#stretches) {
      const place = stretch.knots.findIndex((knot) => at >= knot.at && at < knot.at + knot.alike.length);
      if (place < 0) continue;
      if (stretch.box) stretch.box.open = true;
      while (stretch.numDrawn <= place) this.#fill(stretch);
      this.#chosen = this.#cards.get(stretch.knots[place]);
      this.#chosen.firstElementChild.setAttribute("aria-current", "true");
      return { element: this.#chosen, alike: stretch.knots[place].alike };
    }
    return null;
  }

  #stretch(knots, list, box = null) {
    const made = { knots, list, box, numDrawn: 0, more: null };
    this.#stretches.push(made);
    return made;
  }

  #window({ title, what, parts }) {
    const boxes = parts.map(({ title: name, loss, knots }, i) => {
      const list = make("ol", { class: "flow" });
      const told = loss === null ? "" : `loss ${number(loss)}`;
      const head = make("summary", {}, make("strong", {}, name), " ", make("span", { class: "quiet-text" }, told));
      const box = make("details", { open: parts.length <= MOST_OPEN || i === 0 }, head, list);
      const stretch = this.#stretch(knots, list, box);
      if (box.open) this.#fill(stretch);
      box.addEventListener("toggle", () => box.open && !stretch.numDrawn && this.#fill(stretch));
      return make("li", { class: "micro-batch" }, box);
    });
    const head = make("p", { class: "window-title" }, make("strong", {}, title), " ");
    head.append(make("span", { class: "quiet-text" }, what));
    return make("li", { class: "window" }, head, make("ol", { class: "flow" }, boxes));
  }

  /** Draw the next of a long list. */
  #fill(stretch) {
    stretch.more?.remove();
    for (const knot of stretch.knots.slice(stretch.numDrawn, stretch.numDrawn + AT_ONCE)) {
      this.#cards.set(knot, this.#card(knot));
      stretch.list.append(this.#cards.get(knot));
      stretch.numDrawn++;
    }
    const left = stretch.knots.length - stretch.numDrawn;
    if (!left) return;
    const show = () => this.#fill(stretch);
    const button = make("button", { type: "button", on: { click: show } }, `Show more (${left} stages left)`);
    stretch.list.append((stretch.more = make("li", { class: "more" }, button)));
  }

  #card({ at, stage, alike }) {
    const { what, value, change, bars: drawn, parts } = summary(stage, this.trace);
    const line = lineOf(stage, this.trace, this.source);
    const badge = (text) => make("span", { class: "badge plain" }, text);
    const link = make(
      "a",
      { class: "stage", href: this.href(at), "data-stage": at + 1 },
      make(
        "span",
        { class: "stage-head" },
        make("span", { class: "stage-kind" }, stage.kind),
        value ? make("strong", { class: "stage-value" }, value) : null,
        alike.length > 1 ? badge(`${alike.length} in a row`) : null,
        stage.inside_step !== null && stage.kind !== "step" ? badge("in closure") : null,
      ),
      make("span", { class: "stage-what" }, what),
      parts.map((part) => make("span", { class: "stage-part" }, part)),
      change ? changeLine(change) : null,
      drawn
        ? make("span", { class: "stage-bars" }, bars(drawn), make("span", { class: "quiet-text" }, drawn.of))
        : null,
      line
        ? make(
            "span",
            { class: "stage-line" },
            make("span", { class: "quiet-text" }, line.at),
            make("code", {}, line.text),
          )
        : null,
    );
    return make("li", { class: `knot kind-${stage.kind}` }, link, (stage.findings ?? []).map(finding));
  }
}

function changeLine({ of, before, after }) {
  return make(
    "span",
    { class: "stage-change" },
    make("span", { class: "quiet-text" }, of),
    make("span", {}, before),
    make("span", { class: "becomes" }, "→"),
    make("strong", {}, after),
  );
}

/** Arrow keys go from stage to stage, Enter opens one. */
function walk(list, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !event.target.matches("a.stage")) return;
  const all = [...list.querySelectorAll("a.stage")].filter((one) => one.offsetParent !== null);
  const next = all[all.indexOf(event.target) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
