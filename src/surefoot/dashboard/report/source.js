/** In a report, all there is to show is in the file itself. */

const all = JSON.parse(document.getElementById("data").textContent);
const rankOf = ({ rank }) => all.ranks[rank ?? 0] ?? Object.values(all.ranks)[0] ?? { series: [], params: { params: [] }, heatmaps: {}, hists: {} };

export const canFollow = false;
export const canAsk = false;
export const onlyRun = all.run.run.run;

export class SourceError extends Error {}

export const runs = async () => ({ runs: [all.run.run] });
export const columns = async () => ({ settings: [], metrics: [], runs: {}, is_whole: true });
export const run = async () => all.run;
export const findings = async () => all.findings;
export const media = async () => ({ media: all.media });
export const mediumContent = async ({ address }) => (address ? bytesOf(address) : refuse("The report has no room for it."));
export const params = async (name, wanted = {}) => rankOf(wanted).params;
export const compare = async () => refuse("A report holds one run.");
export const query = async () => refuse("A report can't be asked. `surefoot query` asks the run log.");
export const descend = async () => refuse("A report computes nothing. `surefoot dash` has the optimizer lab.");
export const edit = async () => refuse("A report is not edited.");
export const traces = async () => refuse("A report holds one run.");
export const trace = traces;
export const follow = () => refuse("A report does not change.");

export async function rule(name) {
  return all.rules[name] ?? refuse(`The report has no page about the rule ${name}.`);
}

/** What is stored is as fine as it gets: a range of steps shows a part of it. */
export async function series(name, wanted) {
  const names = new Set([wanted.name].flat());
  const found = rankOf(wanted).series.filter((one) => names.has(one.name));
  return { series: found.map((one) => part(one, wanted.from ?? -Infinity, wanted.to ?? Infinity)) };
}

export const seriesOfRuns = async () => refuse("A report holds one run.");

export async function heatmap(name, wanted) {
  const whole = rankOf(wanted).heatmaps[wanted.of];
  if (!whole) return { rows: [], steps: [], last_step: null, values: [], low: null, high: null };
  const { from, to } = wanted;
  const ends = [...whole.steps.slice(1), whole.last_step + 1];
  const kept = whole.steps.map((step, i) => i).filter((i) => ends[i] > (from ?? -Infinity) && whole.steps[i] <= (to ?? Infinity));
  const values = whole.values.map((row) => kept.map((i) => row[i]));
  const last = kept.length ? ends[kept.at(-1)] - 1 : null;
  return { ...whole, steps: kept.map((i) => whole.steps[i]), last_step: last, values };
}

export async function hists(name, wanted) {
  const whole = rankOf(wanted).hists[wanted.name];
  if (!whole) return { steps: [], times: [], edges: [], counts: [] };
  const kept = inside(whole.steps, wanted.from ?? -Infinity, wanted.to ?? Infinity);
  const pick = (values) => kept.map((i) => values[i]);
  return { steps: pick(whole.steps), times: pick(whole.times), edges: whole.edges, counts: pick(whole.counts) };
}

function part(one, from, to) {
  const own = one.lasts.map((value) => (typeof value === "number" ? value : null));
  const whole = { ...one, lows: one.lows ?? own, highs: one.highs ?? own };
  if (from === -Infinity && to === Infinity) return whole;
  const kept = inside(one.steps, from, to);
  for (const key of ["steps", "times", "lows", "highs", "lasts"]) whole[key] = kept.map((i) => whole[key][i]);
  whole.nonfinite = one.nonfinite.filter(({ step }) => step >= from && step <= to);
  whole.num_nonfinite = whole.nonfinite.length;
  whole.count = one.is_exact ? kept.length : one.count;
  return whole;
}

function inside(steps, from, to) {
  return steps.map((step, i) => i).filter((i) => steps[i] >= from && steps[i] <= to);
}

function bytesOf(address) {
  const text = atob(address.slice(address.indexOf(",") + 1));
  return new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: address.slice(5, address.indexOf(";")) });
}

function refuse(why) {
  throw new SourceError(why);
}
