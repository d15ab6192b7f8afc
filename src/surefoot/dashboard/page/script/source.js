/** Where everything shown comes from: the one module that talks to the server. A report brings its own in its place. */

export const canFollow = true;
export const canAsk = true;
export const onlyRun = null; // a report has one

export class SourceError extends Error {
  constructor(message, { fields = {} } = {}) {
    super(message);
    this.fields = fields;
  }
}

export const runs = () => get("api/runs");
/** { setting, metric, all } to { settings, metrics: all names, runs: { run: { name: value } }, is_whole } */
export const columns = (wanted) => get("api/columns", wanted);
/** { metric, by, is, goal } */
export const ranking = (wanted) => get("api/ranking", wanted);
/** With `brief` without what only the run's own page shows. */
export const run = (name, wanted = {}) => get(`api/runs/${encodeURIComponent(name)}`, wanted);
export const findings = (name) => get(`api/runs/${encodeURIComponent(name)}/findings`);
export const rule = (name) => get(`api/rules/${encodeURIComponent(name)}`);
export const lessons = () => get("api/learn");
export const lesson = (rule) => get(`api/learn/${encodeURIComponent(rule)}`);
export const family = (name) => get(`api/learn/families/${encodeURIComponent(name)}`);
export const traces = () => get("api/traces");
export const trace = (name) => get(`api/traces/${encodeURIComponent(name)}`);
export const compare = (one, two) => get("api/compare", { run: [one, two] });

export const media = (name) => get(`api/runs/${encodeURIComponent(name)}/media`);
/** What is in a file of a run, as a Blob. */
export async function mediumContent({ process, file }, run) {
  const parts = [run, "media", process, file].map(encodeURIComponent);
  const response = await fetch(`api/runs/${parts.join("/")}`).catch(() => null);
  return response?.ok ? response.blob() : read(Promise.resolve(response ?? Response.error()));
}

/** { name: [names], rank, from, to, buckets } */
export const series = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/series`, wanted);
/** The same of several runs: { runs: { run: series } }, or with `mean` one curve of all. */
export const seriesOfRuns = (wanted) => get("api/series", wanted);
/** { of, rank, from, to, buckets } */
export const heatmap = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/heatmap`, wanted);
/** { name, rank, from, to, max } */
export const hists = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/hists`, wanted);
/** { rank } */
export const params = (name, wanted) => get(`api/runs/${encodeURIComponent(name)}/params`, wanted);

/** The answer to a query; `hear` gets it as far as it has come, whenever there are more rows. */
export async function query(sql, hear, signal) {
  const answer = { columns: [], rows: [] };
  const add = ({ error, rows = [], ...rest }) => {
    if (error) throw new SourceError(error);
    Object.assign(answer, rest);
    answer.rows.push(...rows);
    if (rows.length) hear(answer);
  };
  await readLines(fetch("api/query", posting({ sql }, signal)), add);
  return answer;
}
/** { runs, set }, { undo }, { delete } or { restore }: the numbers of the edits, by run. */
export const edit = (change) => post("api/edit", change);

/** Paths of the optimizer lab. An error has `fields`: what is wrong with which setting. */
export const descend = (settings, signal) => post("api/descent", settings, signal);

/** Runs both programs of a rule: `hear` gets what they tell as it comes. The signal ends them. */
export async function runTwins(rule, hear, signal) {
  return readLines(fetch(`api/learn/${encodeURIComponent(rule)}/run`, { method: "POST", signal }), hear);
}

/** An answer that comes in lines of JSON. */
async function readLines(asked, hear) {
  const response = await asked.catch(() => null);
  if (!response?.ok) return read(asked); // which says why
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return null;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) hear(JSON.parse(line));
  }
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

function post(path, body, signal) {
  return read(fetch(path, posting(body, signal)));
}

function posting(body, signal) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
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
  const why = answer.error ?? `The server answered with status ${response.status}.`;
  if (!response.ok) throw new SourceError(why, answer);
  return answer;
}
