/** Texts of rules: paragraphs, lists, and code between backticks. */
import { make } from "../dom.js";

export function inline(text) {
  return String(text)
    .split(/`([^`]*)`/)
    .map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

export function paragraphs(text) {
  return String(text)
    .split(/\n\s*\n/)
    .map((part) => {
      if (!/^\s*- /.test(part)) return make("p", {}, inline(part));
      const items = part.trim().split(/\n?^\s*- /m);
      return make(
        "ul",
        { class: "dots" },
        items.filter(Boolean).map((item) => make("li", {}, inline(item))),
      );
    });
}
