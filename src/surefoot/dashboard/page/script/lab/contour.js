/** Lines of equal height on a grid: where they cross the cells. */

/** Values at (columns + 1) × (rows + 1) corners, from `low` to `high`. */
export function sample(loss, low, high, columns, rows) {
  const values = new Float64Array((columns + 1) * (rows + 1));
  for (let row = 0; row <= rows; row++) {
    const w1 = low[1] + ((high[1] - low[1]) * row) / rows;
    for (let column = 0; column <= columns; column++)
      values[row * (columns + 1) + column] = loss(low[0] + ((high[0] - low[0]) * column) / columns, w1);
  }
  return values;
}

/** Segments [x, y, x, y, …] of one level, in shares of the width and of the height. */
export function contour(values, columns, rows, level) {
  const found = [];
  const at = (column, row) => values[row * (columns + 1) + column];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const corners = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
      const crossed = crossings(corners, level);
      for (let i = 0; i + 1 < crossed.length; i += 2)
        for (const [x, y] of [crossed[i], crossed[i + 1]]) found.push((column + x) / columns, (row + y) / rows);
    }
  }
  return found;
}

/** Where the four sides of a cell are crossed: twice, or four times at a saddle. */
function crossings([one, two, three, four], level) {
  const sides = [
    [one, two, (share) => [share, 0]],
    [two, three, (share) => [1, share]],
    [four, three, (share) => [share, 1]],
    [one, four, (share) => [0, share]],
  ];
  return sides
    .filter(([from, to]) => from < level !== to < level)
    .map(([from, to, place]) => place((level - from) / (to - from)));
}
