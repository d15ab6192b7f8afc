/** From good to bad: what lies where in a metric. */

export function colourOf(share) {
  const part = Math.round(100 * Math.min(1, Math.max(0, share)));
  return `color-mix(in oklab, var(--curve-2) ${part}%, var(--curve-1))`;
}

/** How far a value is from the best, by its place among all; several equal ones are in the middle of their places. */
export function places(points, goal) {
  const sorted = points.map(({ value }) => Number(value)).filter(Number.isFinite).sort((one, two) => one - two);
  return ({ value }) => {
    const number = Number(value);
    if (!Number.isFinite(number)) return null;
    const share = sorted.length > 1 ? (sorted.indexOf(number) + sorted.lastIndexOf(number)) / 2 / (sorted.length - 1) : 0;
    return goal === "low" ? share : 1 - share;
  };
}
