/** The surface below the paths: bands between levels, their lines and numbers, and the axes. */
import { themeColour } from "../chart/colour.js";
import { evenTicks } from "../chart/scale.js";
import { tick } from "../number.js";
import { LOSSES } from "./catalogue.js";
import { contour, sample } from "./contour.js";

const CELL = 5; // pixels of the grid in which lines are looked for
const LABEL_APART = 46;
export const MARGIN = { left: 38, right: 8, top: 8, bottom: 24 };
const FONT = "11px system-ui, sans-serif";

/** `frame`: { left, top, width, height } of the surface in CSS pixels, each of which is `ratio` device pixels. */
export function drawGround(canvas, surface, frame, ratio) {
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  drawBands(ctx, surface, frame, ratio);
  drawLines(ctx, surface, frame);
  drawAxes(ctx, surface, frame);
  drawMinima(ctx, surface, frame);
}

/** From weights to the picture, and back. */
export function placing(surface, { left, top, width, height }) {
  const [[x0, y0], [x1, y1]] = [surface.low, surface.high];
  return {
    x: (w0) => left + ((w0 - x0) / (x1 - x0)) * width,
    y: (w1) => top + height - ((w1 - y0) / (y1 - y0)) * height,
    w0: (x) => x0 + ((x - left) / width) * (x1 - x0),
    w1: (y) => y0 + ((top + height - y) / height) * (y1 - y0),
  };
}

function drawBands(ctx, surface, { left, top, width, height }, ratio) {
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  const values = sample(LOSSES[surface.name], surface.low, surface.high, columns - 1, rows - 1);
  const colours = bandColours(surface.levels.length + 1);
  const picture = ctx.createImageData(columns, rows);
  const pixels = new Uint32Array(picture.data.buffer);
  for (let row = 0; row < rows; row++) {
    const from = (rows - 1 - row) * columns;
    for (let column = 0; column < columns; column++)
      pixels[row * columns + column] = colours[bandOf(values[from + column], surface.levels)];
  }
  ctx.putImageData(picture, Math.round(left * ratio), Math.round(top * ratio));
}

function bandOf(value, levels) {
  let band = 0;
  while (band < levels.length && value >= levels[band]) band++;
  return band;
}

/** Numbers that a picture is made of. The lower, the further from the page's own ground. */
function bandColours(num) {
  const [low, high] = ["band-low", "band-high"].map((name) => parse(themeColour(name)));
  return Array.from({ length: num }, (_, i) => {
    const [red, green, blue] = low.map((part, k) => Math.round(part + ((high[k] - part) * i) / (num - 1)));
    return (255 << 24) | (blue << 16) | (green << 8) | red;
  });
}

function parse(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function drawLines(ctx, surface, frame) {
  const [columns, rows] = [Math.ceil(frame.width / CELL), Math.ceil(frame.height / CELL)];
  const values = sample(LOSSES[surface.name], surface.low, surface.high, columns, rows);
  const labels = [];
  ctx.lineWidth = 1;
  ctx.strokeStyle = themeColour("band-line");
  for (const level of surface.levels) {
    const found = contour(values, columns, rows, level);
    ctx.beginPath();
    for (let i = 0; i < found.length; i += 4) {
      ctx.moveTo(...onFrame(found[i], found[i + 1], frame));
      ctx.lineTo(...onFrame(found[i + 2], found[i + 3], frame));
    }
    ctx.stroke();
    placeLabel(labels, found, level, frame);
  }
  drawLabels(ctx, labels);
}

function onFrame(x, y, { left, top, width, height }) {
  return [left + x * width, top + (1 - y) * height];
}

/** Its number goes where it is far from the others and from the edge; where there is no such place, nowhere. */
function placeLabel(labels, found, level, frame) {
  let best = null;
  for (let i = 0; i < found.length; i += 4) {
    const [x, y] = onFrame(found[i], found[i + 1], frame);
    const edge = Math.min(x - frame.left, frame.left + frame.width - x, y - frame.top, frame.top + frame.height - y);
    if (edge < 14) continue;
    const nearest = labels.reduce((least, one) => Math.min(least, Math.hypot(one.x - x, one.y - y)), Infinity);
    const room = Math.min(nearest, 2.5 * LABEL_APART) - Math.abs(x - frame.left - frame.width * 0.3) / 20;
    if (nearest >= LABEL_APART && (best === null || room > best.room)) best = { x, y, room, text: tick(level) };
  }
  if (best) labels.push(best);
}

function drawLabels(ctx, labels) {
  ctx.font = FONT;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  for (const { x, y, text } of labels) {
    ctx.lineWidth = 4;
    ctx.strokeStyle = themeColour("band-high");
    ctx.strokeText(text, x, y);
    ctx.fillStyle = themeColour("quiet");
    ctx.fillText(text, x, y);
  }
}

function drawAxes(ctx, surface, frame) {
  const to = placing(surface, frame);
  ctx.fillStyle = themeColour("quiet");
  ctx.strokeStyle = themeColour("strong-line");
  ctx.lineWidth = 1;
  ctx.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.width + 1, frame.height + 1);
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const bottom = frame.top + frame.height + 6;
  for (const w0 of evenTicks(surface.low[0], surface.high[0], frame.width / 60))
    if (to.x(w0) < frame.left + frame.width - 24) ctx.fillText(tick(w0), to.x(w0), bottom);
  ctx.fillText("w0", frame.left + frame.width - 8, bottom);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const w1 of evenTicks(surface.low[1], surface.high[1], frame.height / 50))
    if (to.y(w1) > frame.top + 16) ctx.fillText(tick(w1), frame.left - 6, to.y(w1));
  ctx.fillText("w1", frame.left - 6, frame.top + 6);
}

function drawMinima(ctx, surface, frame) {
  const to = placing(surface, frame);
  ctx.strokeStyle = themeColour("text");
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (const [w0, w1] of surface.minima) {
    const [x, y] = [to.x(w0), to.y(w1)];
    ctx.moveTo(x - 5, y);
    ctx.lineTo(x + 5, y);
    ctx.moveTo(x, y - 5);
    ctx.lineTo(x, y + 5);
  }
  ctx.stroke();
}
