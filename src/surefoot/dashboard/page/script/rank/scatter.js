/** A point a run: a setting across, the metric upwards. Runs of one group have its colour. */
import { make, makeSvg } from "../dom.js";
import { hrefOf } from "../link.js";
import { short } from "../number.js";
import { curveColour } from "../chart/colour.js";
import { axisOf } from "./axis.js";

const [WIDTH, HEIGHT] = [330, 210];
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 14, 10, 26];
const MOST_COLOURS = 8; // groups that are told apart by colour: the best ones

export function scatter({ points, groups, metric }, name, number) {
  const across = axisOf(points.map(({ at }) => at[number]));
  const up = axisOf(points.map(({ value }) => value).filter((value) => typeof value === "number"));
  const colours = new Map(groups.slice(0, MOST_COLOURS).flatMap(({ runs }, i) => runs.map((run) => [run, curveColour(i)])));
  const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
  const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const title = name === "run_group" ? "group" : name;
  const dots = points.flatMap(({ run, at, value }) => {
    const [left, top] = [across.at(at[number]), typeof value === "number" ? up.at(value) : null];
    if (left === null || top === null) return [];
    const dot = makeSvg("circle", { cx: x(left), cy: y(top), r: 4 }, makeSvg("title", {}, `${run}: ${short(value, 6)}`));
    dot.style.fill = colours.get(run) ?? "var(--strong-line)";
    dot.addEventListener("click", () => (location.hash = hrefOf(["run", run])));
    return [dot];
  });
  const missing = points.length - dots.length;
  return make(
    "section",
    { class: "chart", "aria-label": `${title} and the metric` },
    make("header", {}, make("h3", {}, title)),
    makeSvg(
      "svg",
      { class: "scatter", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title} against ${metric}: the table has the numbers` },
      up.ticks.map(({ at, text }) => [
        makeSvg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at) }),
        makeSvg("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, text),
      ]),
      across.ticks.map(({ at, text }) => makeSvg("text", { x: x(at), y: HEIGHT - 8, "text-anchor": at > 0.9 ? "end" : at < 0.1 ? "start" : "middle" }, text)),
      dots,
    ),
    missing ? make("p", { class: "chart-note", "data-kind": "log" }, `${missing} without this setting, or not finite`) : null,
  );
}
