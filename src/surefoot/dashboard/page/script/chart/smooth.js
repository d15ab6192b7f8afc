/** The moving average that is drawn over what is shown; weights fall by `weight` with each point. */
export function smooth(values, weight) {
  if (!weight) return values;
  let sum = 0;
  let mass = 0;
  return values.map((value) => {
    if (value === null || value === undefined) return value;
    sum = sum * weight + value;
    mass = mass * weight + 1;
    return sum / mass;
  });
}
