/** A line as small as a word. */
import { makeSvg } from "../dom.js";

const [WIDTH, HEIGHT] = [96, 22];

export function spark(values) {
  const numbers = (values ?? []).map((value) => (value === null ? NaN : Number(value)));
  const finite = numbers.filter(Number.isFinite);
  const svg = makeSvg("svg", {
    class: "spark",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
    "aria-hidden": "true",
  });
  if (finite.length < 2) return svg;
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const y = (value) => (high > low ? HEIGHT - 3 - ((value - low) / (high - low)) * (HEIGHT - 6) : HEIGHT / 2);
  const x = (i) => 1 + (i / (numbers.length - 1)) * (WIDTH - 2);
  let path = "";
  let isDown = false;
  numbers.forEach((value, i) => {
    if (Number.isFinite(value)) path += `${isDown ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    isDown = Number.isFinite(value);
  });
  svg.append(makeSvg("path", { d: path }));
  return svg;
}
