/** Parts of a trace as people read them. */
import { bytes, short } from "../number.js";

const DIGITS = 4;

export const number = (value) => short(value, DIGITS);
export const memory = (value) => bytes(value ?? 0);

/** A norm; no gradient at all is no zero. */
export const norm = (value) => (value === null || value === undefined ? "none" : number(value));

export function shape(size) {
  return size.length ? size.join("×") : "scalar";
}

export function shapes(sizes, most = 2) {
  if (!sizes?.length) return "–";
  const more = sizes.length > most ? ` +${sizes.length - most}` : "";
  return sizes.slice(0, most).map(shape).join(", ") + more;
}

export function duration(seconds) {
  const parts = [
    [1, "s"],
    [1e-3, "ms"],
  ].find(([unit]) => seconds >= unit) ?? [1e-6, "µs"];
  return `${Number((seconds / parts[0]).toPrecision(3))} ${parts[1]}`;
}

/** The first values; `size` tells whether there are more. */
export function values(some, size) {
  if (!some?.length) return "";
  const all = (size ?? []).reduce((one, two) => one * two, 1);
  return some.map(number).join(", ") + (all > some.length ? ", …" : "");
}

export function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

export function share(part, whole) {
  return Number(whole) > 0 ? `${Number(((100 * Number(part)) / Number(whole)).toPrecision(3))} %` : "–";
}

/** "train.py:16": without the folder in which the program was started. */
export function place(site, folder) {
  if (!site) return "";
  const inside = [`${folder}/`, `${folder}\\`].find((start) => folder && site.file.startsWith(start));
  return `${inside ? site.file.slice(inside.length) : site.file}:${site.line}`;
}

/** Of several tensors together, from the norms of each; null if there is none. */
export function together(norms) {
  const known = norms.filter((value) => value !== null && value !== undefined).map(Number);
  return known.length ? Math.hypot(...known) : null;
}
