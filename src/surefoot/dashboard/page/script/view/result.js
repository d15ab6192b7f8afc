/** What check, verify, fix or compare --bisect found out about a program: kept as a run, shown as its first view. */
import { make } from "../dom.js";
import { hrefOf } from "../link.js";
import { short, span } from "../number.js";
import { patchCard } from "./patch.js";

export const TITLES = { check: "Checks", verify: "Comparison", compare: "Comparison", fix: "Patches" };
const SIGNS = { pass: "✓", fail: "✕", "not-tested": "–" };
const WORDS = { "not-tested": "not tested" };
const VIEWS = { check: checks, verify: comparison, compare: parting, fix: patches };

export function resultOf(events) {
  const event = events.find(({ kind }) => kind === "result");
  try {
    return event ? JSON.parse(event.text) : null;
  } catch {
    return null;
  }
}

export function showResult(place, run) {
  const view = VIEWS[run.result.of];
  place.append(
    make(
      "div",
      { class: "result" },
      make("p", { class: "result-summary" }, run.result.summary),
      view ? view(run.result) : make("p", {}, "A newer surefoot made this result. Update surefoot to see all of it."),
    ),
  );
  return { set() {}, close() {} };
}

function checks({ checks: all }) {
  return all.map(({ name, verdict, why, evidence, seconds }) =>
    make(
      "section",
      { class: `check ${verdict}` },
      make(
        "div",
        { class: "check-head" },
        make(
          "span",
          { class: `badge verdict-${verdict}` },
          make("span", { "aria-hidden": "true" }, SIGNS[verdict]),
          WORDS[verdict] ?? verdict,
        ),
        make("h2", { class: "rule-name" }, name),
        make("span", { class: "when" }, span(seconds)),
      ),
      make("p", {}, why),
      numbers(evidence),
    ),
  );
}

function numbers(evidence) {
  const known = Object.entries(evidence ?? {}).filter(([, value]) => typeof value !== "object");
  if (!known.length) return null;
  const line = ([name, value]) =>
    make(
      "div",
      {},
      make("dt", {}, name.replaceAll("_", " ")),
      make("dd", {}, typeof value === "number" ? short(value) : String(value)),
    );
  return make("dl", { class: "evidence" }, known.map(line));
}

function comparison({ reference, other, preset, rows, not_compared: left }) {
  const titles = ["step", "quantity", "compared", "beyond", "farthest", "difference", "tolerance"];
  return [
    make(
      "dl",
      { class: "compared" },
      command("Reference", reference),
      command("Other", preset ? [...other, `(${preset})`] : other),
    ),
    make(
      "div",
      { class: "table-frame", tabindex: "0", role: "region", "aria-label": "What was compared" },
      make(
        "table",
        {},
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            titles.map((title) => make("th", { scope: "col" }, title)),
          ),
        ),
        make(
          "tbody",
          {},
          rows.map((row) =>
            make(
              "tr",
              { class: row.beyond === "-" ? null : "beyond" },
              titles.map((title) => make("td", {}, String(row[title]))),
            ),
          ),
        ),
      ),
    ),
    left.map((reason) => make("p", { class: "place" }, `Not compared: ${reason}.`)),
  ];
}

function command(name, words) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, make("code", {}, words.join(" "))));
}

function parting({ runs }) {
  const links = runs.map((name) => make("a", { href: hrefOf(["run", name]) }, name));
  return make("p", {}, "Compared: ", links[0], " and ", links[1]);
}

function patches({ patches: all, unpatched }) {
  const place = ({ rule, line }) => make("h2", { class: "rule-name" }, line === null ? rule : `${rule}, line ${line}`);
  return [
    all.map((patch) => make("section", { class: "check pass" }, place(patch), patchCard(patch))),
    unpatched.map((one) =>
      make(
        "section",
        { class: "check fail" },
        place(one),
        make("p", {}, `Not patched: ${one.why}.`),
        make("p", {}, `By hand: ${one.fix}`),
      ),
    ),
  ];
}
