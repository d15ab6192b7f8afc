/** Charts that come into view together ask together: one request for all series of a run, a rank and a range. */
import { series } from "../source.js";

const TOGETHER_MS = 8;
const MOST_NAMES = 24; // in one request
const waiting = new Map();

/** The answer for one series, or null if the run has none of that name. */
export function want({ run, rank, name, from, to, buckets }) {
  const key = JSON.stringify([run, rank, from, to, buckets]);
  if (!waiting.has(key)) {
    waiting.set(key, []);
    setTimeout(() => ask(key), TOGETHER_MS);
  }
  return new Promise((resolve, reject) => waiting.get(key).push({ name, resolve, reject }));
}

async function ask(key) {
  const [run, rank, from, to, buckets] = JSON.parse(key);
  const all = waiting.get(key);
  waiting.delete(key);
  for (let at = 0; at < all.length; at += MOST_NAMES) {
    const some = all.slice(at, at + MOST_NAMES);
    const names = [...new Set(some.map((one) => one.name))];
    try {
      const answer = await series(run, { name: names, rank, from, to, buckets });
      const found = new Map(answer.series.map((one) => [one.name, one]));
      for (const { name, resolve } of some) resolve(found.get(name) ?? null);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
