/** Colours of curves and of what surrounds them, as the theme has them now. */

const NUM_COLOURS = 8;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
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
