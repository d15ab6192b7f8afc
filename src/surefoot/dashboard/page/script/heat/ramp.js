/** From dark blue over green to yellow, computed: lightness rises evenly, so that it reads without colour vision. */

const NUM = 256;
const [DARKEST, LIGHTEST] = [0.27, 0.93];
const [FIRST_HUE, LAST_HUE] = [285, 100];

export const RAMP = Array.from({ length: NUM }, (_, i) => colourAt(i / (NUM - 1)));

/** `share` from 0 to 1. */
export function rampColour(share) {
  return RAMP[Math.round(Math.min(1, Math.max(0, share)) * (NUM - 1))];
}

function colourAt(share) {
  const lightness = DARKEST + (LIGHTEST - DARKEST) * share;
  const hue = ((FIRST_HUE + (LAST_HUE - FIRST_HUE) * share) * Math.PI) / 180;
  const chroma = 0.1 + 0.06 * share;
  const [red, green, blue] = fromOklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
  return `rgb(${red} ${green} ${blue})`;
}

function fromOklab(lightness, a, b) {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ].map((linear) => {
    const light = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}
