/** What a person wants to know first of a run: how its loss ended, and what was found. */
import { make, replace } from "../dom.js";
import { hrefOf } from "../link.js";
import { count } from "../number.js";
import { severityBadge } from "../status.js";

const MOST = 4; // findings; the others have a page

export function outcome(run) {
  const element = make("div", { class: "outcome" });
  const draw = () => replace(element, verdict(run), findings(run));
  const end = run.findings.onChange(draw);
  draw();
  return { element, end };
}

function verdict(run) {
  const text = run.convergence?.text;
  if (!text) return null;
  const lines = run.shortened(text).split("\n");
  return make(
    "section",
    { class: "card" },
    make("h2", {}, run.row.status === "running" ? "The loss so far" : "How the loss ended"),
    lines.map((line) => make("p", { class: line.startsWith("next: ") ? "said next" : "said" }, line)),
  );
}

function findings(run) {
  const all = run.findings.all;
  if (!all.length) return null;
  const page = (query) => hrefOf(["run", run.name, "findings"], query);
  const line = (finding) =>
    make(
      "li",
      {},
      severityBadge(finding.severity),
      make("a", { href: page({ open: `${finding.rule}:${finding.line}` }) }, finding.rule),
      make("span", { class: "where" }, placeOf(run, finding)),
      make("span", { class: "message" }, finding.message),
    );
  const rest = all.length - MOST;
  return make(
    "section",
    { class: "card" },
    make("h2", {}, "Found"),
    make("ul", { class: "found" }, all.slice(0, MOST).map(line)),
    rest > 0 ? make("p", {}, make("a", { href: page({}) }, `${count(rest)} more`)) : null,
  );
}

function placeOf(run, { file, line }) {
  return file ? `${run.shortened(file)}${line ? `:${line}` : ""}` : "";
}
