/** Wrong code beside right code; lines that only one of them has are marked by a sign and a colour. */
import { make } from "../dom.js";

export function programs({ bad, good }) {
  return make("div", { class: "twins" }, program("Bad", bad, "−"), program("Good", good, "+"));
}

function program(title, lines, sign) {
  const kind = title.toLowerCase();
  const rows = lines.map(({ text, differs }, i) =>
    make(
      "li",
      { class: differs ? `only only-${kind}` : null },
      make("span", { class: "line" }, String(i + 1)),
      make("span", { class: "sign", "aria-hidden": "true" }, differs ? sign : ""),
      make("code", {}, text || " ", differs ? make("span", { class: "unseen" }, ` (only in ${title})`) : null),
    ),
  );
  return make(
    "section",
    { class: "program" },
    make("h3", { class: `twin-${kind}` }, title),
    make("ol", { class: "excerpt", tabindex: "0", "aria-label": `${title} program` }, rows),
  );
}
