/** Colours of curves and of what surrounds them, as the theme has them now. */
import { onTheme } from "../theme/switch.js";

const NUM_COLOURS = 8;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const known = new Map(); // asking makes the browser compute all styles
onTheme(() => known.clear());

export function themeColour(name) {
  if (!known.has(name))
    known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return known.get(name);
}

export function curveColour(number) {
  return themeColour(`curve-${(number % NUM_COLOURS) + 1}`);
}

/** Beyond the colours, curves are told apart by dashes. */
export function curveDash(number) {
  return DASHES[Math.floor(number / NUM_COLOURS) % DASHES.length];
}

export function faded(colour, share) {
  return `color-mix(in srgb, ${colour} ${Math.round(share * 100)}%, transparent)`;
}
