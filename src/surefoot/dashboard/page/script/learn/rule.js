/** A rule: what happens, belief against truth, wrong code beside right code, and the button that runs both. */
import { make } from "../dom.js";
import { hrefOf } from "../link.js";
import { severityBadge } from "../status.js";
import { against } from "./family.js";
import { programs } from "./program.js";
import { RunBoth } from "./run.js";
import { inline, paragraphs } from "./text.js";

const FIRST = ["What it does", "Why it matters"];

export function rulePage(lesson, query) {
  const run = lesson.obstacle ? null : new RunBoth(lesson.rule, query);
  const section = ({ title, text }) => make("section", {}, make("h2", {}, title), paragraphs(text));
  const elements = [
    make(
      "header",
      { class: "learn-head" },
      make("h1", {}, lesson.rule),
      severityBadge(lesson.level),
      make("a", { href: hrefOf(["learn", lesson.family]) }, `family ${lesson.family}`),
      make("p", {}, inline(lesson.summary)),
    ),
    lesson.belief ? against(lesson.belief, lesson.truth) : null,
    make("div", { class: "learn-texts" }, lesson.sections.filter(({ title }) => FIRST.includes(title)).map(section)),
    lesson.lines.bad.length ? programs(lesson.lines) : null,
    run?.element ?? make("p", { class: "card" }, inline(lesson.obstacle)),
    make("div", { class: "learn-texts" }, lesson.sections.filter(({ title }) => !FIRST.includes(title)).map(section)),
    make(
      "p",
      {},
      make("a", { href: hrefOf(["learn", lesson.family]) }, `Three questions about the family ${lesson.family}`),
    ),
  ];
  return { elements, set: (now) => run?.set(now), close: () => run?.close() };
}
