/** From where to where charts go, and where their ticks are. */
import uPlot from "../../vendor/uPlot.esm.js";

export function xRange(wanted, low, high) {
  const [first, last] = wanted ?? [low ?? 0, high ?? 1];
  return last > first ? [first, last] : [first - 1, first + 1];
}

export function yRange(low, high) {
  if (low === null || low === undefined) return [0, 1];
  if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, low + Math.abs(low) * 0.1];
  return uPlot.rangeNum(low, high, 0.06, true);
}

/** Of positive values: as wide as they are, not up to the next power of ten. */
export function logRange(low, high) {
  if (!(low > 0)) return [1, 10];
  const room = low === high ? 1.5 : (high / low) ** 0.05;
  return [low / room, high * room];
}

/** Powers of ten; where there are few, 2 and 5 times them; within less than one, evenly. */
export function logTicks(low, high, most) {
  const decades = Math.log10(high / low);
  if (decades < 1) return evenTicks(low, high, most);
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const every = Math.ceil(decades / most);
  const parts = decades * 3 <= most ? [1, 2, 5] : [1];
  const made = [];
  for (let power = first; power <= last; power++) {
    if (power % every === 0) made.push(...parts.map((part) => part * 10 ** power));
  }
  return made.filter((value) => value >= low && value <= high);
}

/** 1, 2 or 5 times a power of ten from each other. */
export function evenTicks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const every = [1, 2, 5, 10].map((part) => part * power).find((step) => step >= rough);
  const made = [];
  for (let number = Math.ceil(low / every); number * every <= high; number++) made.push(number * every);
  return made;
}

/** How far ticks are from each other at least. */
export function apart(ticks) {
  let least = 0;
  for (let i = 1; i < ticks.length; i++) {
    const space = Math.abs(ticks[i] - ticks[i - 1]);
    if (space && (!least || space < least)) least = space;
  }
  return least;
}

/** As wide as its longest number. */
export function yWidth(u, values) {
  const longest = Math.max(3, ...(values ?? []).map((value) => value.length));
  return Math.ceil(longest * 6.4) + 10;
}
