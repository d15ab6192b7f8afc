/** Parallel coordinates: an axis for each setting and one for the metric, a line a run, coloured by how good it is. */
import { make, makeSvg } from "../dom.js";
import { hrefOf } from "../link.js";
import { short } from "../number.js";
import { metricText } from "../view/columns.js";
import { axisOf } from "./axis.js";
import { colourOf, places } from "./colour.js";

const HEIGHT = 280;
const APART = 150;
const [SIDE, TOP, BOTTOM] = [70, 34, 14];

export function parallel({ points, by, metric, goal }) {
  const titles = [...by.map((name) => (name === "run_group" ? "group" : name)), metricText(metric)];
  const finite = points.filter(({ value }) => typeof value === "number");
  const rows = finite.map((point) => ({ ...point, values: [...point.at, point.value] }));
  const axes = titles.map((_, i) => axisOf(rows.map(({ values }) => values[i])));
  const width = 2 * SIDE + APART * (titles.length - 1);
  const x = (i) => SIDE + i * APART;
  const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const place = places(finite, goal);
  // The best are drawn last, above the others.
  const sorted = rows.map((row) => [place(row), row]).sort(([one], [two]) => two - one);
  const lines = sorted.map(([share, { run, value, values }]) => {
    const spots = values.map((one, i) => [x(i), axes[i].at(one)]).filter(([, at]) => at !== null);
    const line = makeSvg("path", { d: `M${spots.map(([left, at]) => `${left},${y(at)}`).join("L")}` }, makeSvg("title", {}, `${run}: ${short(value, 6)}`));
    line.style.stroke = colourOf(share);
    line.addEventListener("click", () => (location.hash = hrefOf(["run", run])));
    return line;
  });
  return make(
    "div",
    { class: "chart parallel", tabindex: "0", role: "group", "aria-label": "Parallel coordinates" },
    makeSvg(
      "svg",
      { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": "Settings and metric of each run: the table has the numbers" },
      makeSvg("g", { class: "lines" }, lines),
      axes.map(({ ticks }, i) => [
        makeSvg("line", { class: "axis", x1: x(i), x2: x(i), y1: TOP, y2: HEIGHT - BOTTOM }),
        makeSvg("text", { class: "title", x: x(i), y: 16, "text-anchor": "middle" }, titles[i].length > 22 ? `${titles[i].slice(0, 21)}…` : titles[i]),
        ticks.map(({ at, text }) => makeSvg("text", { class: "over", x: x(i) + 5, y: y(at) + 4 }, text)),
      ]),
    ),
    make("p", { class: "quiet-text" }, "Blue: best runs. Orange: worst."),
  );
}
