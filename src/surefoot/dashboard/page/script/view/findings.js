/** What was found: when, where in the source, why it matters, what to do. */
import { evenTicks } from "../chart/scale.js";
import { make, makeSvg, replace } from "../dom.js";
import { empty } from "../empty.js";
import { change, hrefOf } from "../link.js";
import { count, short, tick } from "../number.js";
import { canFollow } from "../source.js";
import { severityBadge } from "../status.js";
import { patchCard } from "./patch.js";
import { findingKey } from "./run.js";
import { rulePage } from "./rule.js";

const LANES = ["error", "warning", "note"];

/** A run that nobody watched has no facts to judge again. */
function nothing({ name, row, meta }) {
  if (!meta.probes && row.status !== "running")
    return empty("Nothing was watched", "This run only logged values. To check its program, run:", "surefoot run train.py");
  if (row.status === "running")
    return empty("No findings", "No findings so far. New ones appear here while the run goes on.");
  const text = "No rule found anything in this run. Evaluate it again, also with newer rules, with:";
  return empty("No findings", text, `surefoot replay ${name}`);
}

export function showFindings(place, run, query) {
  const content = make("div", { class: "findings" });
  place.append(content);
  const cards = new Map();
  const openedByPage = new WeakSet();
  let scrolledTo = null;

  function draw() {
    const all = run.findings.all;
    if (!all.length) return replace(content, nothing(run));
    const isFirst = cards.size === 0;
    replace(content, timeline(run, all), all.map(cardOf));
    openWanted(isFirst);
  }

  /** Cards are made once: what is open stays open when counts grow. */
  function cardOf(finding) {
    const key = `${finding.rank} ${findingKey(finding)}`;
    const known = cards.get(key);
    if (known && known.finding.count === finding.count) return known.element;
    const made = card(finding, run);
    made.addEventListener("toggle", () => toggled(finding, made));
    if (known?.element.open) open(made);
    cards.set(key, { finding, element: made });
    return made;
  }

  /** What the address names; at first, the worst. */
  function openWanted(isFirst = false) {
    const wanted = query.get("open");
    for (const { finding, element } of cards.values()) {
      if (findingKey(finding) !== wanted) continue;
      open(element);
      if (scrolledTo !== wanted) element.scrollIntoView({ block: "start" });
      scrolledTo = wanted;
      return;
    }
    const [first] = run.findings.all;
    if (isFirst && first.severity === "error") open(cards.get(`${first.rank} ${findingKey(first)}`).element);
  }

  function open(element) {
    if (element.open) return;
    openedByPage.add(element);
    element.open = true;
  }

  /** By the reader: the address says so, and the page stays where it is. */
  function toggled(finding, element) {
    if (openedByPage.delete(element)) return;
    const key = findingKey(finding);
    scrolledTo = key;
    if (element.open) change({ open: key });
    else if (query.get("open") === key) change({ open: null });
  }

  const off = run.findings.onChange(draw);
  draw();
  return {
    set(now) {
      query = now;
      openWanted();
    },
    close: off,
  };
}

function card(finding, run) {
  const head = make(
    "summary",
    {},
    severityBadge(finding.severity),
    make("h2", { class: "rule-name" }, finding.rule),
    make("span", { class: "when" }, whenText(finding, run)),
    make("p", { class: "message" }, finding.message),
  );
  const body = make(
    "div",
    { class: "finding-body" },
    source(finding, run),
    evidence(finding.evidence),
    part("What to do", finding.fix, "fix"),
    (finding.patches ?? []).map(patchCard),
    part("Why it matters", finding.why),
    rulePage(finding.rule),
    canFollow
      ? make("p", {}, make("a", { href: hrefOf(["learn", finding.rule]) }, `Learn: see ${finding.rule} happen`))
      : null,
  );
  return make("details", { class: `finding ${finding.severity}`, "data-finding": findingKey(finding) }, head, body);
}

function whenText({ count: num, step, rank }, run) {
  const times = num > 1 ? `${count(num)} times, first at step ${count(step)}` : `at step ${count(step)}`;
  return run.ranks.length > 1 && rank !== null ? `${times} · rank ${rank}` : times;
}

function source({ file, line, excerpt }, run) {
  const place = make("p", { class: "place" }, file ? `${run.shortened(file)}:${line}` : "no line of the script");
  if (!excerpt) return place;
  const lines = excerpt.lines.map((text, i) => {
    const number = excerpt.first + i;
    return make(
      "li",
      { class: number === line ? "here" : null, "aria-current": number === line ? "true" : null },
      make("span", { class: "line" }, String(number)),
      make("code", {}, text || " "),
    );
  });
  return make(
    "div",
    {},
    place,
    make("ol", { class: "excerpt", tabindex: "0", "aria-label": `Source around line ${line}` }, lines),
  );
}

function evidence(facts) {
  const known = Object.entries(facts ?? {});
  if (!known.length) return null;
  const line = ([name, value]) =>
    make("div", {}, make("dt", {}, name.replaceAll("_", " ")), make("dd", {}, valueText(value)));
  return make("section", {}, make("h3", {}, "Evidence"), make("dl", { class: "evidence" }, known.map(line)));
}

function part(title, text, kind = null) {
  return text ? make("section", { class: kind }, make("h3", {}, title), make("p", {}, text)) : null;
}

function valueText(value) {
  if (typeof value === "number") return short(value);
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Where in the run each was first seen; a lane a severity. */
function timeline(run, all) {
  const lanes = LANES.filter((lane) => all.some((finding) => finding.severity === lane));
  const [, last] = run.extent("step") ?? [0, run.row.updates ?? 1];
  const [width, lane, left] = [1000, 22, 0];
  const x = (step) => left + 8 + (step / Math.max(1, last)) * (width - 16);
  const height = lanes.length * lane;
  const svg = makeSvg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": "When each was first found",
  });
  lanes.forEach((name, i) =>
    svg.append(makeSvg("line", { x1: 0, x2: width, y1: i * lane + lane / 2, y2: i * lane + lane / 2, class: "lane" })),
  );
  const dots = all.map((finding) => {
    const link = make("button", {
      type: "button",
      class: `dot ${finding.severity}`,
      title: `${finding.rule}, step ${finding.step}`,
      "aria-label": `${finding.rule}, first at step ${finding.step}`,
    });
    link.style.left = `${x(finding.step) / 10}%`;
    link.style.top = `${lanes.indexOf(finding.severity) * lane + lane / 2}px`;
    link.addEventListener("click", () => change({ open: findingKey(finding) }));
    return link;
  });
  const ticks = evenTicks(0, last, 8)
    .filter(Number.isInteger)
    .map((step) => {
      const label = make("span", {}, tick(step));
      label.style.left = `${x(step) / 10}%`;
      return label;
    });
  const track = make("div", { class: "track" }, svg, dots);
  track.style.height = `${height}px`;
  return make(
    "section",
    { class: "timeline", "aria-label": "Timeline of findings" },
    make(
      "div",
      { class: "lanes" },
      lanes.map((name) => make("span", {}, `${name}s`)),
    ),
    make("div", {}, track, make("div", { class: "ticks", "aria-hidden": "true" }, ticks)),
  );
}
