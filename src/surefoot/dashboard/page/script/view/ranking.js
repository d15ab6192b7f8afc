/** Settings against a metric: which groups of runs are better, and how sure that is; scatter and parallel coordinates. */
import { make, replace } from "../dom.js";
import { empty, failure, waiting } from "../empty.js";
import { change, hrefOf } from "../link.js";
import { count, short } from "../number.js";
import { parallel } from "../rank/parallel.js";
import { scatter } from "../rank/scatter.js";
import { ranking } from "../source.js";
import { metricText } from "./columns.js";

const KINDS = { low: "lowest", high: "highest", last: "last" };
const AGAIN_MS = 50;
const MOST_LINES = 100; // of the table
const USUAL = ["val/loss", "val_loss", "eval/loss", "eval_loss", "loss"];

export function showRanking(place, path, query) {
  const content = make("div", {}, waiting());
  const controls = make("div", { class: "toolbar" });
  place.append(
    make("div", { class: "page-head" }, make("h1", {}, "Settings against a metric"), make("a", { href: "#/" }, "All runs")),
    controls,
    content,
  );
  let isClosed = false;
  let generation = 0;

  async function load() {
    const mine = ++generation;
    try {
      const asked = ["metric", "by", "is", "goal"].map((name) => [name, query.getAll(name)]);
      const found = await ranking(Object.fromEntries(asked));
      if (isClosed || mine !== generation) return;
      if (!found.is_whole) return setTimeout(load, AGAIN_MS);
      if (!found.metric) return choose(found);
      const isOpen = controls.querySelector("details")?.open ?? false; // several are chosen one after the other
      replace(controls, choices(found));
      controls.querySelector("details").open = isOpen;
      replace(content, draw(found));
    } catch (error) {
      if (!isClosed) replace(content, failure(error));
    }
  }

  /** Without a metric in the link, the loss that people mean. */
  function choose(found) {
    const name = USUAL.find((one) => found.metrics.includes(one)) ?? found.metrics[0];
    if (name) return change({ metric: `low:${name}` });
    replace(content, empty("No runs yet", "Runs with settings are ranked by any series that they logged.", "surefoot run train.py"));
  }

  load();
  return {
    set(_, now) {
      query = now;
      load();
    },
    close() {
      isClosed = true;
    },
  };
}

function choices({ metric, metrics, goal, by, settings }) {
  const at = metric.indexOf(":");
  const select = (label, options, value, chosen) => {
    const element = make("select", {}, options.map(([key, text]) => make("option", { value: key, selected: key === value }, text)));
    element.addEventListener("change", () => change(chosen(element.value), { isStep: true }));
    return make("label", {}, label, element);
  };
  const box = (name) => {
    const input = make("input", { type: "checkbox", checked: by.includes(name) });
    const others = by.filter((one) => one !== name);
    input.addEventListener("change", () => change({ by: input.checked ? [...others, name] : others }));
    return make("label", {}, input, ` ${name === "run_group" ? "group" : name}`);
  };
  return [
    select("Metric", metrics.map((name) => [name, name]), metric.slice(at + 1), (name) => ({ metric: metric.slice(0, at + 1) + name })),
    select("its", Object.entries(KINDS), metric.slice(0, at), (kind) => ({ metric: kind + metric.slice(at), goal: null })),
    select("best is", [["low", "low"], ["high", "high"]], goal, (value) => ({ goal: value })),
    make(
      "details",
      { class: "menu" },
      make("summary", {}, "Settings"),
      make("div", { class: "menu-content" }, make("div", { class: "menu-list" }, ["run_group", ...settings].map(box))),
    ),
  ];
}

function draw(found) {
  const { groups, points, by, metric } = found;
  if (!points.length) return empty("No run has this number", `None that fits the filters has ended and logged ${metricText(metric)}.`);
  if (!by.length) return empty("All runs are set alike", "No setting tells them apart: choose one, or log settings with sf.start_run(config=…).");
  return make(
    "div",
    { class: "sections" },
    make("section", { class: "card" }, make("h2", {}, "What is sure"), told(found).map((text) => make("p", { class: "said" }, text))),
    make("section", {}, make("h2", {}, "Groups of runs that are set alike"), table(found), groups.length > MOST_LINES ? make("p", { class: "quiet-text" }, `and ${count(groups.length - MOST_LINES)} more`) : null),
    make("section", {}, make("h2", {}, "Each run"), make("div", { class: "charts" }, by.map((name, number) => scatter(found, name, number)))),
    by.length > 1 ? make("section", {}, make("h2", {}, "All settings together"), parallel(found)) : null,
  );
}

/** In words, and how it is known. */
function told({ groups, num_running: running, num_without: without, most_groups: most, confidence }) {
  const [first] = groups;
  const several = groups.filter(({ num_distinct: num, num_odd: odd }) => num > 1 && !odd);
  const lines = [];
  if (first.num_odd) lines.push("Every group has a run whose number is not finite: none has a mean to be ranked by.");
  else if (groups.length > 1) {
    const rivals = groups.slice(1).filter((group) => group.low_rank <= 1).length;
    const best = `${nameOf(first)} has the best mean, ${short(first.mean)}`;
    lines.push(
      rivals
        ? `${best}, but the runs do not show that it is the best: ${count(rivals)} of the other ${count(groups.length - 1)} groups may be as good or better.`
        : `${best}, and is the best of ${count(groups.length)} groups with ${100 * confidence} % confidence.`,
    );
  }
  if (several.length > most) lines.push(`More than ${most} groups: their pairs are not compared, so that no rank is sure.`);
  else if (several.length < 2) lines.push("Fewer than two groups have several different results. How much a result moves with the seed is not known, so nothing can be said about ranks: run more seeds.");
  else
    lines.push(
      `With ${100 * confidence} % confidence, all ranks together lie where the table says: each pair of ${count(several.length)} groups is compared by Welch’s t-test of their runs, corrected for all pairs (Bonferroni). It takes the runs of a group for independent, and not far from normally distributed. Equal results count once; a group with one result, or one that is not finite, may have any rank.`,
    );
  const left = [running && `${count(running)} still going on`, without && `${count(without)} without this series`].filter(Boolean);
  if (left.length) lines.push(`Left out: ${left.join(", ")}.`);
  return lines;

  function nameOf({ key }) {
    return key.map(valueText).join(", ");
  }
}

function table({ groups, by, metric }) {
  const head = ["Rank", ...by.map((name) => (name === "run_group" ? "group" : name)), metricText(metric), "± deviation", "Runs"];
  return make(
    "div",
    { class: "table-frame", tabindex: "0" },
    make(
      "table",
      { class: "ranking" },
      make("thead", {}, make("tr", {}, head.map((text, i) => make("th", { scope: "col", class: i === head.length - 3 || i === head.length - 2 ? "number" : null }, text)))),
      make("tbody", {}, groups.slice(0, MOST_LINES).map((group) => line(group, groups.length, by, metric))),
    ),
  );
}

function line(group, num, by, metric) {
  const { low_rank: low, high_rank: high, key, mean, deviation, num: runs, num_odd: odd, num_distinct: distinct } = group;
  const query = { is: by.map((name, i) => `${name}=${filterText(name, key[i])}`), metric, show: by.filter((name) => name !== "run_group") };
  const odder = odd ? `${odd} not finite` : distinct < runs ? `${distinct} different` : "";
  return make(
    "tr",
    {},
    make("td", {}, make("span", { class: "rank" }, low === high ? `${low}` : `${low} to ${high}`), rankBar(low, high, num)),
    key.map((value) => make("td", {}, valueText(value))),
    make("td", { class: "number" }, odd ? "–" : short(mean, 6)),
    make("td", { class: "number" }, deviation === null || odd ? "–" : short(deviation, 2)),
    make("td", {}, make("a", { href: hrefOf([], query) }, count(runs)), odder ? ` (${odder})` : null),
  );
}

/** The ranks that are possible, of all. */
function rankBar(low, high, num) {
  const bar = make("span", { class: "rank-bar", "aria-hidden": "true" });
  const range = make("span", {});
  range.style.left = `${(100 * (low - 1)) / num}%`;
  range.style.width = `${(100 * (high - low + 1)) / num}%`;
  bar.append(range);
  return bar;
}

export function valueText(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? short(value, 6) : typeof value === "string" ? value : JSON.stringify(value);
}

function filterText(name, value) {
  if (name === "run_group") return value ?? "no group";
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
