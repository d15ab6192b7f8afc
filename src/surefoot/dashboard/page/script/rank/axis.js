/** Places of values on an axis: numbers by size, or by power where they span several; texts one beside the other. */
import { short, tick } from "../number.js";

const WIDE = 30; // of the highest to the lowest, from which on powers are shown

/** { at(value): 0…1 or null, ticks: [{ at, text }] } */
export function axisOf(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  const numbers = known.map(Number);
  const isNumber = known.length > 0 && known.every((value) => typeof value === "number" && Number.isFinite(value));
  return isNumber ? numeric(numbers) : named(known);
}

function numeric(numbers) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const isLog = low > 0 && high / low >= WIDE;
  const scaled = isLog ? Math.log10 : (value) => value;
  const [first, last] = [scaled(low), scaled(high)];
  const at = (value) => (!Number.isFinite(value) || value === null ? null : last > first ? (scaled(value) - first) / (last - first) : 0.5);
  const distinct = [...new Set(numbers)].sort((one, two) => one - two);
  const shown = distinct.length <= 6 ? distinct : [low, isLog ? Math.sqrt(low * high) : (low + high) / 2, high];
  return { at, ticks: apart(shown.map((value) => ({ at: at(value), text: distinct.length <= 6 ? short(value, 4) : tick(value) }))) };
}

function named(values) {
  const texts = [...new Set(values.map(String))].sort((one, two) => one.localeCompare(two, "en", { numeric: true }));
  const place = new Map(texts.map((text, i) => [text, texts.length > 1 ? i / (texts.length - 1) : 0.5]));
  const step = Math.ceil(texts.length / 8);
  const ticks = texts.filter((_, i) => i % step === 0).map((text) => ({ at: place.get(text), text: text.length > 14 ? `${text.slice(0, 13)}…` : text }));
  return { at: (value) => (value === null || value === undefined ? null : (place.get(String(value)) ?? null)), ticks };
}

/** Without those that would lie on others. */
function apart(ticks) {
  return ticks.filter(({ at }, i) => i === 0 || at - ticks[i - 1].at > 0.08 || i === ticks.length - 1);
}
