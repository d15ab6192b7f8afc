/** Charts that come into view together ask together: one request for all series of a rank and a range, of all runs. */
import { series, seriesOfRuns } from "../source.js";

const TOGETHER_MS = 8;
const MOST_NAMES = 24; // in one request
const MOST_RUNS = 16; // so that several connections share them
const waiting = new Map();

/** The answer for one series, or null if the run has none of that name; of several `runs` their mean. */
export function want({ run, runs = null, rank, name, from, to, buckets }) {
  const key = JSON.stringify([runs ?? [], runs ? 0 : rank, from, to, buckets]);
  if (!waiting.has(key)) {
    waiting.set(key, []);
    setTimeout(() => ask(key), TOGETHER_MS);
  }
  return new Promise((resolve, reject) => waiting.get(key).push({ run, name, resolve, reject }));
}

async function ask(key) {
  const [together, rank, from, to, buckets] = JSON.parse(key);
  const all = waiting.get(key);
  waiting.delete(key);
  const byName = parts([...new Set(all.map(({ name }) => name))], MOST_NAMES);
  if (together.length) {
    const mean = (name) => seriesOfRuns({ run: together, name, mean: 1, from, to, buckets }).then(({ series: found }) => found);
    return Promise.all(byName.map((names) => answer(all.filter(({ name }) => names.has(name)), mean([...names]))));
  }
  const runs = [...new Set(all.map(({ run }) => run))];
  const isAlone = runs.length === 1 || rank !== 0;
  for (const names of byName) {
    const some = all.filter(({ name }) => names.has(name));
    const asked = { name: [...names], from, to, buckets };
    if (isAlone) {
      const one = (run) => series(run, { ...asked, rank }).then(({ series: found }) => found);
      await Promise.all(runs.map((run) => answer(some.filter((each) => each.run === run), one(run))));
      continue;
    }
    await Promise.all(
      parts(runs, MOST_RUNS).map((group) => {
        const found = seriesOfRuns({ ...asked, run: [...group] });
        return Promise.all([...group].map((run) => answer(some.filter((each) => each.run === run), found.then(({ runs: told }) => told[run]))));
      }),
    );
  }
}

async function answer(some, asked) {
  try {
    const found = new Map((await asked).map((one) => [one.name, one]));
    for (const { name, resolve } of some) resolve(found.get(name) ?? null);
  } catch (error) {
    for (const { reject } of some) reject(error);
  }
}

function parts(items, most) {
  const found = [];
  for (let at = 0; at < items.length; at += most) found.push(new Set(items.slice(at, at + most)));
  return found;
}
