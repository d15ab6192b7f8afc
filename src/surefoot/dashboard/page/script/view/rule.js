/** The page of a rule, fetched when somebody wants to read it. */
import { make, replace } from "../dom.js";
import { waiting } from "../empty.js";
import { rule as readRule } from "../source.js";

export function rulePage(name) {
  const body = make("div", { class: "rule" });
  const element = make("details", { class: "rule-page" }, make("summary", {}, `About the rule ${name}`), body);
  element.addEventListener("toggle", async (event) => {
    event.stopPropagation();
    if (!element.open || body.childNodes.length) return;
    replace(body, waiting());
    try {
      replace(body, page(await readRule(name)));
    } catch (error) {
      replace(body, make("p", {}, error.message));
    }
  });
  return element;
}

function page({ sections, titles = {}, bad, good }) {
  const told = Object.entries(sections ?? {}).filter(([title]) => title !== "why"); // which the finding says itself
  const texts = told.map(([title, text]) =>
    make("section", {}, make("h3", {}, titles[title] ?? title), paragraphs(text)),
  );
  const program = (title, code) =>
    code
      ? make(
          "section",
          { class: "program" },
          make("h3", {}, title),
          make("pre", { tabindex: "0" }, make("code", {}, code)),
        )
      : null;
  return [texts, make("div", { class: "twins" }, program("Bad", bad), program("Good", good))];
}

function paragraphs(text) {
  return String(text)
    .split(/\n\s*\n/)
    .map((one) => make("p", {}, one));
}
