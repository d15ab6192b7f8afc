/** A family: what is believed about each of its rules, what is true, and three questions. */
import { make } from "../dom.js";
import { hrefOf } from "../link.js";
import { severityBadge } from "../status.js";
import { quiz } from "./quiz.js";
import { inline } from "./text.js";

export function familyPage({ family, about, rules, questions }) {
  return [
    make(
      "header",
      { class: "learn-head" },
      make("h1", {}, family),
      make("p", { class: "quiet-text" }, inline(about)),
    ),
    quiz(questions),
    make(
      "section",
      { "aria-label": "Rules of the family" },
      make("h2", {}, "Rules"),
      make("div", { class: "beliefs" }, rules.map(rule)),
    ),
  ];
}

function rule({ rule: name, level, summary, belief, truth }) {
  return make(
    "article",
    { class: "card" },
    make("h3", {}, make("a", { href: hrefOf(["learn", name]) }, name), " ", severityBadge(level)),
    make("p", { class: "quiet-text" }, inline(summary)),
    belief ? against(belief, truth) : null,
  );
}

/** Both, side by side where there is room. */
export function against(belief, truth) {
  return make(
    "dl",
    { class: "against" },
    make("div", { class: "believed" }, make("dt", {}, "Common belief"), make("dd", {}, inline(belief))),
    make("div", { class: "true" }, make("dt", {}, "In truth"), make("dd", {}, inline(truth))),
  );
}
