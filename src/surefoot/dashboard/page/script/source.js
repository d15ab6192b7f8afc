/** Where everything shown comes from: the one module that talks to the server. A report brings its own in its place. */

export const canFollow = true;
export const canAsk = true;
export const onlyRun = null; // a report has one

export class SourceError extends Error {}

export const runs = () => get("api/runs");
export const run = (name) => get(`api/runs/${encodeURIComponent(name)}`);
export const findings = (name) => get(`api/runs/${encodeURIComponent(name)}/findings`);
export const rule = (name) => get(`api/rules/${encodeURIComponent(name)}`);
export const traces = () => get("api/traces");
export const trace = (name) => get(`api/traces/${encodeURIComponent(name)}`);
export const compare = (one, two) => get("api/compare", { run: [one, two] });

/** { name: [names], rank, from, to, buckets } */
export const series = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/series`, wanted);
/** { of, rank, from, to, buckets } */
export const heatmap = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/heatmap`, wanted);
/** { name, rank, from, to, max } */
export const hists = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/hists`, wanted);
/** { rank } */
export const params = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/params`, wanted);

export async function query(sql, signal) {
  const headers = { "content-type": "application/json" };
  return read(fetch("api/query", { method: "POST", headers, body: JSON.stringify({ sql }), signal }));
}

/** Deltas of one run, of several, or of the list of runs: an EventSource that reconnects by itself, where it was. */
export function follow(name, cursor = null) {
  const query = new URLSearchParams();
  for (const one of [name ?? []].flat()) query.append("run", one);
  if (cursor !== null) query.set("cursor", cursor);
  return new EventSource(`api/live?${query}`);
}

function get(path, wanted = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    for (const one of [value].flat()) if (one !== null && one !== undefined) query.append(name, one);
  }
  const text = query.toString();
  return read(fetch(text ? `${path}?${text}` : path));
}

async function read(asked) {
  let response;
  try {
    response = await asked;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new SourceError("The dashboard's server does not answer. Is `surefoot dash` still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new SourceError(answer.error ?? `The server answered with status ${response.status}.`);
  return answer;
}
