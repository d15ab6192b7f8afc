/** Where a series has no values: a line is drawn between neighbours only, and the legend tells how far apart they are. */

const FAR = 3; // times the gap before or after: then the points are no neighbours

/** Whether no line joins point `i` to the one before it: they are much farther apart than those around them. */
export function isBreak(steps, i) {
  const gap = steps[i] - steps[i - 1];
  const around = [steps[i - 1] - steps[i - 2], steps[i + 1] - steps[i]].filter((other) => other > 0);
  return around.length > 0 && gap > FAR * Math.max(...around);
}

/** The points before which a line breaks. */
export function breaks(steps) {
  const found = [];
  for (let i = 1; i < steps.length; i++) if (steps[i] - steps[i - 1] > FAR && isBreak(steps, i)) found.push(i);
  return found;
}

/** The same columns with a point of nulls at each break. */
export function broken(xs, columns, places) {
  if (!places.length) return [xs, columns];
  const insert = (column, between) => {
    const made = [];
    let from = 0;
    for (const place of places) {
      for (; from < place; from++) made.push(column[from]);
      made.push(between(column[place - 1], column[place]));
    }
    for (; from < column.length; from++) made.push(column[from]);
    return made;
  };
  const middle = (one, two) => (one + two) / 2;
  return [insert(xs, middle), columns.map((column) => (column.length ? insert(column, () => null) : column))];
}

/** Steps between two values, from the usual least to the usual most. */
export function everyOf(steps) {
  if (steps.length < 2) return [];
  const gaps = steps.slice(1).map((step, i) => step - steps[i]);
  gaps.sort((one, two) => one - two);
  return [0.1, 0.9].map((share) => gaps[Math.round(share * (gaps.length - 1))]);
}

/** "every 12 steps", "every 1–64 steps"; nothing to tell of values at every step. */
export function everyText([low, high] = [], unit = "step") {
  if (!high || high < 1.5) return "";
  const [least, most] = [Math.max(1, Math.round(low)), Math.round(high)];
  return most > 1.5 * least ? `every ${least}–${most} ${unit}s` : `every ${most} ${unit}s`;
}
