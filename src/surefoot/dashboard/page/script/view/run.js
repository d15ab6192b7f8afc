/** One run: its head, its tabs, and the stream that keeps it up to date. */
import { growSeries } from "../chart/grow.js";
import { make, replace } from "../dom.js";
import { failure, waiting } from "../empty.js";
import { change, hrefOf } from "../link.js";
import { Live } from "../live.js";
import { ago, count, moment, short, span } from "../number.js";
import * as source from "../source.js";
import { attemptBadge, liveBadge, statusBadge } from "../status.js";
import { showFindings } from "./findings.js";
import { showGradients } from "./gradients.js";
import { showMedia } from "./media.js";
import { showOverview } from "./overview.js";
import { showParameters } from "./parameters.js";
import { resultOf, showResult, TITLES } from "./result.js";

const TABS = [
  { name: "", text: "Curves", show: showOverview },
  { name: "gradients", text: "Gradients", show: showGradients },
  { name: "parameters", text: "Parameters", show: showParameters },
  { name: "findings", text: "Findings", show: showFindings },
];
/** What a command found out comes first; it is no training, whose gradients could be looked at. */
function tabsOf(run) {
  if (!run.result) return run.hasMedia ? [...TABS, { name: "media", text: "Media", show: showMedia }] : TABS;
  const [curves, , , findings] = TABS;
  const first = { name: "", text: TITLES[run.result.of] ?? "Result", show: showResult };
  return [first, { ...curves, name: "curves" }, ...(run.findings.all.length ? [findings] : [])];
}

const KEPT = ["rank", "from", "to", "axis", "smooth"]; // of the state, from tab to tab

export function showRun(place, path, query) {
  const name = path[1];
  const badge = liveBadge();
  const showState = (state) => badge.show(run?.row.status === "running" || state === "ended" ? state : "still");
  badge.show("still");
  const head = make("div", { class: "run-head" });
  const tabs = make("nav", { class: "tabs", "aria-label": "Views of the run" });
  const content = make("div", { class: "run-content" }, waiting());
  place.append(head, tabs, content);

  let tab = null; // { key, view }
  let run = null; // what is known of it: see RunState below
  let live = null;
  let isClosed = false;

  Promise.all([source.run(name), source.findings(name)]).then(
    ([about, found]) => {
      if (isClosed) return;
      run = new RunState(name, about);
      run.findings.load(found.findings);
      run.findings.onChange(drawTabs);
      drawHead();
      if (!isOver(run.row)) live = follow(about.cursor);
      set(path, query);
    },
    (error) => replace(content, failure(error)),
  );

  /** From where the answer ends, so that nothing falls between. */
  function follow(cursor) {
    const stream = new Live(name, showState, cursor);
    stream.on("status", (row) => {
      Object.assign(run.row, row);
      showState(stream.state);
      drawHead();
      if (isOver(row)) stream.end();
    });
    stream.on("findings", (news) => run.findings.load(news.findings));
    stream.on("events", (news) => {
      const had = run.hasMedia;
      run.hear("events", news.events ?? [news].flat());
      if (run.hasMedia !== had) drawTabs();
    });
    stream.on("rows", (news) => run.grow(news));
    return stream;
  }

  function drawHead() {
    const row = run.row;
    document.title = `${name} · surefoot`;
    replace(
      head,
      make(
        "div",
        { class: "run-title" },
        make("h1", {}, name),
        statusBadge(row),
        attemptBadge(row),
        badge.element,
        rankChoice(),
      ),
      facts(row),
    );
  }

  function facts(row) {
    const took = make("time", { datetime: row.started, title: moment(row.started) }, ago(row.started));
    const fact = (text, ...value) => make("div", {}, make("dt", {}, text), make("dd", {}, value));
    return make(
      "dl",
      { class: "run-facts" },
      row.name && row.name !== row.script ? fact("Name", row.name) : null,
      fact("Updates", count(row.updates)),
      fact("Last loss", short(row.last_loss)),
      fact("Best loss", short(row.best_loss)),
      fact("Took", span(row.seconds)),
      fact("Started", took),
      row.reason && row.reason !== row.status ? fact("Ended", row.reason) : null,
    );
  }

  function rankChoice() {
    if (run.ranks.length < 2) return null;
    const select = make(
      "select",
      { on: { change: () => change({ rank: select.value === "0" ? null : select.value }) } },
      run.ranks.map((rank) => make("option", { value: rank }, `rank ${rank}`)),
      make("option", { value: "all" }, "all ranks"),
    );
    select.value = query.get("rank") ?? "0";
    return make("label", {}, make("span", { class: "unseen" }, "Rank"), select);
  }

  function drawTabs() {
    const kept = new URLSearchParams([...query].filter(([key]) => KEPT.includes(key)));
    replace(
      tabs,
      tabsOf(run).map(({ name: tabName, text }) => {
        const num = tabName === "findings" ? run.findings.all.filter(({ severity }) => severity !== "note").length : 0;
        const hasErrors = num && run.findings.all.some((finding) => finding.severity === "error");
        const href = hrefOf(["run", name, ...(tabName ? [tabName] : [])], kept);
        return make(
          "a",
          { href, "aria-current": tabName === (path[2] ?? "") ? "page" : null },
          text,
          num ? make("span", { class: `num${hasErrors ? " has-errors" : ""}` }, String(num)) : null,
        );
      }),
    );
  }

  function set(nowPath, nowQuery) {
    [path, query] = [nowPath, nowQuery];
    if (!run) return;
    drawTabs();
    const wanted = tabsOf(run).find((one) => one.name === (path[2] ?? ""));
    const key = `${wanted?.name} ${query.get("rank")}`; // another rank is another view
    if (tab?.key === key) return tab.view.set(query);
    tab?.view.close();
    tab = null;
    replace(content);
    if (!wanted) return content.append(failure(new Error(`A run has no view "${path[2]}".`)));
    tab = { key, view: wanted.show(content, run, query) };
  }

  return {
    set,
    close() {
      isClosed = true;
      live?.close();
      tab?.view.close();
      document.title = "surefoot";
    },
  };
}

/** One that crashed may turn out to be alive, on a host that was not heard of for a while. */
export function isOver(row) {
  return row.status === "finished" || row.status === "failed";
}

/** What is known of the run that is shown, and who wants to hear of news. */
class RunState {
  #listeners = { rows: new Set(), events: new Set(), series: new Set() };

  constructor(name, about) {
    this.name = name;
    this.row = about.run;
    this.meta = about.meta;
    this.settings = about.settings ?? [];
    this.ranks = about.ranks;
    this.series = about.series;
    this.convergence = about.convergence;
    this.events = about.events;
    this.hasMedia = about.has_media;
    this.result = resultOf(about.events);
    this.problems = about.problems;
    this.findings = new Findings();
    this.start = Date.parse(about.run.started) / 1000 || 0;
  }

  on(event, listener) {
    this.#listeners[event].add(listener);
    return () => this.#listeners[event].delete(listener);
  }

  hear(event, news) {
    if (event === "events") {
      this.events.push(...news.filter(({ kind }) => kind !== "media"));
      this.hasMedia ||= news.some(({ kind }) => kind === "media");
    }
    for (const listener of this.#listeners[event]) listener(news);
  }

  /** Rows that came: series that are new are told first. */
  grow(news) {
    const fresh = growSeries(this.series, news);
    if (fresh.length) this.hear("series", fresh);
    this.hear("rows", news);
  }

  /** First and last on the axis, of everything that is logged. */
  extent(axis) {
    if (axis === "time") return null;
    const scalars = this.series.filter((one) => one.kind === "scalar" && one.first !== null);
    if (!scalars.length) return null;
    return [Math.min(...scalars.map((one) => one.first)), Math.max(...scalars.map((one) => one.last))];
  }

  /** Files of the run's own folder without it. */
  shortened(text) {
    return this.meta.cwd ? text.replaceAll(`${this.meta.cwd}/`, "") : text;
  }

  ranksOf(query) {
    const wanted = query.get("rank") ?? "0";
    return wanted === "all"
      ? this.ranks
      : [this.ranks.includes(Number(wanted)) ? Number(wanted) : (this.ranks[0] ?? 0)];
  }

  /** Findings, stops and resumes, for the curves. */
  marks() {
    const found = this.findings.all.map((finding) => ({
      step: finding.step,
      kind: finding.severity,
      text: `${finding.severity}: ${finding.rule}, step ${finding.step}`,
      href: hrefOf(["run", this.name, "findings"], { open: findingKey(finding) }),
    }));
    const events = this.events.filter(({ kind }) => kind === "stop" || kind === "resume");
    return [...found, ...events.map(({ step, kind, text }) => ({ step, kind, text: `${kind}: ${text}` }))];
  }
}

class Findings {
  all = [];
  #listeners = new Set();

  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** New ones, and known ones that count more. */
  load(news) {
    const known = new Map(this.all.map((finding) => [`${finding.rank} ${findingKey(finding)}`, finding]));
    for (const finding of news) known.set(`${finding.rank} ${findingKey(finding)}`, finding);
    const order = { error: 0, warning: 1, note: 2 };
    this.all = [...known.values()].sort((one, two) => order[one.severity] - order[two.severity] || one.step - two.step);
    for (const listener of this.#listeners) listener();
  }
}

/** A finding is a rule at a line. */
export function findingKey(finding) {
  return `${finding.rule}:${finding.line}`;
}
