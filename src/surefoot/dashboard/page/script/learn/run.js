/** The button that runs both programs, what they do, and what was found. */
import { make, replace, say } from "../dom.js";
import { hrefOf } from "../link.js";
import { count, short } from "../number.js";
import { runTwins } from "../source.js";
import { severityBadge } from "../status.js";
import { Course } from "./course.js";
import { inline } from "./text.js";

const NAMES = { bad: "Bad", good: "Good" };

export class RunBoth {
  #rule;
  #query;
  #course = null;
  #asked = null;
  #told = {}; // by twin: { state, findings, end }

  constructor(rule, query) {
    this.#rule = rule;
    this.#query = query;
    this.button = make("button", { type: "button", class: "main", on: { click: () => this.#start() } }, "Run both");
    this.cancel = make("button", { type: "button", hidden: true, on: { click: () => this.#asked?.abort() } }, "Cancel");
    this.state = make("span", { class: "quiet-text run-state" }); // what matters of it is said
    this.content = make("div", { class: "sections" });
    this.element = make(
      "section",
      { class: "run-both", "aria-label": "Run both programs" },
      make("div", { class: "run-tools" }, this.button, this.cancel, this.state),
      this.content,
    );
  }

  set(query) {
    this.#query = query;
    this.#course?.board.set(query);
  }

  close() {
    this.#asked?.abort();
    this.#course?.close();
  }

  async #start() {
    const own = (this.#asked = new AbortController());
    this.#course?.close();
    this.#course = new Course(this.#query);
    this.#told = { bad: { findings: [] }, good: { findings: [] } };
    this.found = make("div", { class: "found" });
    replace(this.content, this.found, this.#course.element);
    this.#show(true, "Starting two processes…");
    this.cancel.focus();
    try {
      await runTwins(this.#rule, (message) => this.#hear(message), own.signal);
      this.#end(this.#summary());
    } catch (error) {
      this.#end(error.name === "AbortError" ? "Cancelled. Both processes were ended." : error.message);
    }
  }

  #hear(message) {
    const twin = this.#told[message.twin];
    if (message.kind === "ready") twin.isReady = true;
    else if (message.kind === "rows") this.#course.take(message.twin, message.rows);
    else if (message.kind === "finding") twin.findings.push(message.finding);
    else if (message.kind === "end") {
      twin.end = message;
      this.#showFindings();
    }
    if (message.kind !== "done") this.state.textContent = this.#progress();
  }

  #progress() {
    const parts = Object.entries(this.#told).map(([name, { isReady, end }]) => {
      const num = count(this.#course.numBackwards[name]);
      if (end) return `${NAMES[name]}: done`;
      return `${NAMES[name]}: ${isReady ? `training, ${num} losses so far` : "loading torch…"}`;
    });
    return parts.join(" · ");
  }

  #summary() {
    const seconds = Math.max(...Object.values(this.#told).map(({ end }) => end?.seconds ?? 0));
    return `Both ran in ${short(seconds, 2)} s, each in a process of its own.`;
  }

  #end(text) {
    this.#show(false, text);
    say(text);
    if (document.activeElement === document.body || document.activeElement === this.cancel) this.button.focus();
    this.button.textContent = "Run again";
  }

  #show(isRunning, text) {
    this.button.hidden = isRunning;
    this.cancel.hidden = !isRunning;
    this.state.textContent = text;
    this.element.setAttribute("aria-busy", String(isRunning));
  }

  #showFindings() {
    replace(
      this.found,
      Object.entries(this.#told).map(([name, told]) => (told.end ? this.#foundIn(name, told) : null)),
    );
  }

  #foundIn(name, { end, findings }) {
    const has = `${count(end.steps ?? 0)} steps, ${findings.length ? "found:" : "nothing found."}`;
    return make(
      "section",
      { class: "card" },
      make("h3", { class: `twin-${name}` }, NAMES[name]),
      end.status ? make("p", {}, `It did not finish: ${end.reason}.`) : make("p", {}, has),
      end.said ? make("pre", { tabindex: "0" }, make("code", {}, end.said)) : null,
      findings.map((finding) => this.#finding(finding)),
    );
  }

  #finding({ rule, severity, message, fix, line, step, count: num }) {
    const place = line === null ? "" : `line ${line}, `;
    const times = num > 1 ? `${count(num)} times, first at step ${count(step)}` : `at step ${count(step)}`;
    const name = rule === this.#rule ? make("strong", {}, rule) : make("a", { href: hrefOf(["learn", rule]) }, rule);
    return make(
      "div",
      { class: "found-one" },
      make("p", {}, severityBadge(severity), " ", name, make("span", { class: "quiet-text" }, ` ${place}${times}`)),
      make("p", {}, inline(message)),
      make("p", { class: "quiet-text" }, inline(fix)),
    );
  }
}
