/** A bar for each module or parameter, in the order of the model, by powers of ten: where values grow and vanish. */
import { makeSvg } from "../dom.js";

const [WIDTH, HEIGHT, MOST] = [240, 24, 80];
const DECADES = 6; // below the highest: smaller ones are drawn as the lowest

/** `before` may be missing. What is null has no bar, what is not finite a full one in red. */
export function bars({ before = null, after }) {
  const [was, is] = [before && thin(before), thin(after)];
  const highest = [...(was ?? []), ...is].reduce(
    (most, value) => (Number.isFinite(value) ? Math.max(most, value) : most),
    0,
  );
  const svg = makeSvg("svg", {
    class: "bars",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const width = Math.min(12, WIDTH / is.length);
  const height = (value) => {
    if (!(value > 0)) return 1;
    return 2 + Math.max(0, 1 + Math.log10(value / highest) / DECADES) * (HEIGHT - 2);
  };
  is.forEach((value, i) => {
    const x = i * width;
    if (was && was[i] !== null && Number.isFinite(was[i])) svg.append(bar("before", x, width, height(was[i])));
    if (value === null) return;
    const isOdd = !Number.isFinite(value);
    svg.append(
      bar(
        isOdd ? "odd" : "after",
        x + (was ? width * 0.35 : 0),
        width * (was ? 0.55 : 0.85),
        isOdd ? HEIGHT : height(value),
      ),
    );
  });
  return svg;
}

function bar(kind, x, width, height) {
  return makeSvg("rect", {
    class: kind,
    x: x.toFixed(2),
    y: (HEIGHT - height).toFixed(2),
    width: width.toFixed(2),
    height: height.toFixed(2),
  });
}

/** Of neighbours the highest stays. */
function thin(values) {
  const numbers = values.map((value) => (value === null || value === undefined ? null : Number(value)));
  if (numbers.length <= MOST) return numbers;
  return Array.from({ length: MOST }, (_, i) => {
    const some = numbers.slice(Math.floor((i * numbers.length) / MOST), Math.floor(((i + 1) * numbers.length) / MOST));
    const known = some.filter((value) => value !== null);
    return known.length ? Math.max(...known) : null;
  });
}
