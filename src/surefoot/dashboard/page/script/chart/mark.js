/** What is not a number, and what was found: marks on curves. */
import { make } from "../dom.js";
import { themeColour } from "./colour.js";

const SIZE = 4;

/** Values that are not finite, at the edge of the chart: × for NaN, ▲ and ▼ for the infinities. */
export function drawMarks(u, curves, { axis }) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = themeColour("error");
  ctx.lineWidth = 1.5 * ratio;
  for (const curve of curves) {
    for (const { step, value } of curve.nonfinite) {
      const x = curve.xOfStep(step, axis);
      if (x === null) continue;
      const left = u.valToPos(x, "x", true);
      if (left < bbox.left - 1 || left > bbox.left + bbox.width + 1) continue;
      const top =
        value === -Infinity || Number.isNaN(value) ? bbox.top + bbox.height - 7 * ratio : bbox.top + 7 * ratio;
      drawSign(ctx, left, top, SIZE * ratio, value);
    }
  }
  ctx.restore();
}

/** A link at the top of the chart for each finding, stop and resume. `marks`: [{ step, kind, text, href }] */
export function markLinks(u, marks, xOfStep) {
  for (const old of u.over.querySelectorAll(".mark")) old.remove();
  const width = u.bbox.width / devicePixelRatio;
  for (const mark of marks) {
    const x = xOfStep(mark.step);
    if (x === null) continue;
    const left = u.valToPos(x, "x");
    if (!(left >= -1 && left <= width + 1)) continue;
    const link = make(mark.href ? "a" : "span", {
      class: `mark ${mark.kind}`,
      title: mark.text,
      href: mark.href,
      tabindex: "-1",
    });
    link.style.left = `${left}px`;
    link.addEventListener("mousedown", (event) => event.stopPropagation()); // no zoom begins here
    u.over.append(link);
  }
}

function drawSign(ctx, x, y, size, value) {
  ctx.beginPath();
  if (Number.isNaN(value)) {
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x + size, y - size);
    ctx.lineTo(x - size, y + size);
    ctx.stroke();
    return;
  }
  const tip = value > 0 ? -size : size;
  ctx.moveTo(x, y + tip);
  ctx.lineTo(x - size, y - tip);
  ctx.lineTo(x + size, y - tip);
  ctx.fill();
}
