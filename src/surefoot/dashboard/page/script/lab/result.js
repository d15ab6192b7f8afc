/** What became of each path, in words and numbers. */
import { curveColour } from "../chart/colour.js";
import { make } from "../dom.js";
import { count, short } from "../number.js";

/** `paths`: answers with their `name`. */
export function resultTable(paths, surface) {
  const head = ["Path", "Ends at w0", "w1", "Loss", "Lowest loss"].map((text, i) =>
    make("th", { scope: "col", class: i ? "number" : null }, text),
  );
  return make(
    "div",
    { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Where the paths end" },
    make(
      "table",
      { class: "lab-results" },
      make("thead", {}, make("tr", {}, head)),
      make("tbody", {}, paths.map((path, number) => row(path, number, surface))),
    ),
  );
}

/** For those who do not see the picture. */
export function inWords(paths) {
  return paths.map((path, i) => `Path ${i + 1}, ${path.name}: ${verdict(path)}`).join(" ");
}

export function verdict({ w0, w1, loss, diverged_at: diverged }) {
  if (diverged !== null) return `diverged: lost after update ${count(diverged)}.`;
  return `ends at ${short(w0.at(-1))}, ${short(w1.at(-1))} with loss ${short(loss.at(-1))}.`;
}

function row(path, number, surface) {
  const { w0, w1, loss, diverged_at: diverged, name } = path;
  const badge = make("span", { class: "lab-number", "aria-hidden": "true" }, String(number + 1));
  badge.style.background = curveColour(number);
  const first = make("th", { scope: "row" }, badge, " ", make("span", { class: "name" }, name));
  if (diverged === null && !isSeen([w0.at(-1), w1.at(-1)], surface))
    first.append(make("span", { class: "lab-outside" }, "ends outside of the picture"));
  if (diverged !== null) {
    const text = `diverged: after update ${count(diverged)} it was lost; drawn until it leaves the picture`;
    return make("tr", {}, first, make("td", { class: "has-errors", colspan: "4" }, text));
  }
  const lowest = loss.reduce((one, two) => Math.min(one, two), Infinity);
  const numbers = [w0.at(-1), w1.at(-1), loss.at(-1), lowest].map((value) => short(value, 6));
  return make("tr", {}, first, numbers.map((text) => make("td", { class: "number" }, text)));
}

function isSeen(point, { low, high }) {
  return point.every((value, i) => value >= low[i] && value <= high[i]);
}
