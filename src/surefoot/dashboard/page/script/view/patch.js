/** A patch that was proven by running the program with it, and the other one where only the user knows what was meant. */
import { make } from "../dom.js";
import { short } from "../number.js";

export function patchCard(patch) {
  return make(
    "section",
    { class: "patch" },
    make("h3", {}, "Proven patch"),
    one(patch),
    patch.alternative ? [make("h3", {}, "Or, if that was meant"), one(patch.alternative)] : null,
  );
}

function one({ meaning, diff, loss_before: before, loss_after: after }) {
  const kind = (line) => (/^(---|\+\+\+|@@) /.test(line) ? "at" : { "+": "added", "-": "removed" }[line[0]]);
  const lines = diff.split("\n").filter((line, i, all) => line || i < all.length - 1);
  return [
    make("p", {}, `${meaning[0].toUpperCase()}${meaning.slice(1)}.`),
    make(
      "pre",
      { class: "diff", tabindex: "0", "aria-label": "Patch" },
      lines.map((line) => make("code", { class: kind(line) ?? null }, line || " ")),
    ),
    make("p", { class: "place" }, `With it the finding is gone and no new one came; final loss ${loss(before)} → ${loss(after)}.`),
  ];
}

/** Also "nan" and "inf", for which JSON has no numbers. */
function loss(value) {
  if (value === null) return "not seen";
  return typeof value === "number" ? short(value) : value;
}
