/** Series as a run tells them, kept up to date by the rows that come. */

/** `series` grows by `news`: { rank, series: { name: { steps, values } } }. Those that are new. */
export function growSeries(series, news) {
  const known = new Map(series.map((one) => [`${one.rank ?? 0} ${one.kind} ${one.name}`, one]));
  const fresh = [];
  for (const [name, { steps, values }] of Object.entries(news.series ?? {})) {
    const one = known.get(`${news.rank} scalar ${name}`);
    const last = steps[steps.length - 1];
    if (one) [one.last, one.last_value] = [Math.max(one.last ?? last, last), values.at(-1)];
    else
      fresh.push({
        name,
        rank: news.rank,
        kind: "scalar",
        count: steps.length,
        first: steps[0],
        last,
        last_value: values.at(-1),
      });
  }
  series.push(...fresh);
  return fresh;
}
