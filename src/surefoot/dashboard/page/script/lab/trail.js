/** A path on the surface: its line, its points, and a number where it ends or was last seen. */
import { curveColour, themeColour } from "../chart/colour.js";

const MOST_POINTS = 250; // more of them hide the line
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]]; // paths that lie on each other are both seen
const RADIUS = 8;

/** `points`: [[x, y], …]; `frame` is what is seen of them. Gives where it ends: { x, y, number, isSeen }, or null. */
export function drawTrail(ctx, points, number, frame) {
  const colour = curveColour(number);
  const segments = [];
  for (let i = 1; i < points.length; i++) {
    const segment = clip(points[i - 1], points[i], frame);
    if (segment) segments.push(segment);
  }
  ctx.lineJoin = ctx.lineCap = "round";
  stroke(ctx, segments, themeColour("band-high"), 4.5, [], 0.7);
  stroke(ctx, segments, colour, 2, DASHES[number % DASHES.length], 1);
  if (points.length <= MOST_POINTS) drawPoints(ctx, points.filter((point) => isInside(point, frame)), colour);
  const last = points.at(-1);
  const isSeen = isInside(last, frame);
  const end = isSeen ? last : segments.at(-1)?.[1];
  return end ? { x: end[0], y: end[1], number, isSeen } : null;
}

/** Numbers of paths that end together stand beside each other. */
export function drawNumbers(ctx, ends, frame) {
  const placed = [];
  for (const end of ends) {
    let { x, y } = end;
    const step = x > frame.left + frame.width / 2 ? -2 * RADIUS - 2 : 2 * RADIUS + 2;
    while (placed.some((other) => Math.hypot(other.x - x, other.y - y) < 2 * RADIUS)) x += step;
    placed.push({ x, y });
    drawNumber(ctx, [x, y], end.number, curveColour(end.number), end.isSeen);
  }
}

export function isInside([x, y], { left, top, width, height }) {
  return x >= left && x <= left + width && y >= top && y <= top + height;
}

/** The part of a segment that is seen; null if none is. */
export function clip([x0, y0], [x1, y1], { left, top, width, height }) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  let [from, to] = [0, 1];
  for (const [step, room] of [
    [-dx, x0 - left],
    [dx, left + width - x0],
    [-dy, y0 - top],
    [dy, top + height - y0],
  ]) {
    if (step === 0 && room < 0) return null;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  if (from > to) return null;
  return [from, to].map((share) => [x0 + share * dx, y0 + share * dy]);
}

function stroke(ctx, segments, colour, width, dash, alpha) {
  ctx.save();
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  let last = null;
  for (const [from, to] of segments) {
    if (last === null || last[0] !== from[0] || last[1] !== from[1]) ctx.moveTo(...from);
    ctx.lineTo(...to);
    last = to;
  }
  ctx.stroke();
  ctx.restore();
}

function drawPoints(ctx, points, colour) {
  ctx.fillStyle = colour;
  for (const [x, y] of points) {
    ctx.beginPath();
    ctx.arc(x, y, 2.6, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** Filled where the path ends; a ring where it was last seen. */
function drawNumber(ctx, [x, y], number, colour, isFilled) {
  ctx.beginPath();
  ctx.arc(x, y, RADIUS, 0, 2 * Math.PI);
  ctx.fillStyle = isFilled ? colour : themeColour("surface");
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = isFilled ? themeColour("surface") : colour;
  ctx.stroke();
  ctx.fillStyle = isFilled ? themeColour("surface") : colour;
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(String(number + 1), x, y + 0.5);
}
