/** Curves with steps of their own as columns over one axis. `undefined`: no point here; `null`: a gap in the line. */

export function joinAxes(axes) {
  if (axes.every((axis) => isSame(axis, axes[0]))) return axes[0] ?? [];
  return [...new Set(axes.flat())].sort((one, two) => one - two);
}

export function spread(axis, columns, joined) {
  if (isSame(axis, joined)) return columns;
  const made = columns.map(() => new Array(joined.length));
  let at = 0;
  for (let i = 0; i < axis.length; i++) {
    while (joined[at] < axis[i]) at++;
    columns.forEach((column, number) => (made[number][at] = column[i]));
  }
  return made;
}

function isSame(one, two) {
  if (one === two) return true;
  if (one.length !== two.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== two[i]) return false;
  return true;
}
