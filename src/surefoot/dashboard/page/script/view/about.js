/** What a run was: command, commit, versions, how it ended, what happened on the way. */
import { make, replace, terms } from "../dom.js";
import { copyable } from "../empty.js";
import { hrefOf } from "../link.js";
import { count, moment, short } from "../number.js";

const SEEN = "seen/";

export function aboutRun(run) {
  const element = make("aside", { class: "about", "aria-label": "About the run" });
  const draw = () => replace(element, problems(run), what(run), settings(run), happened(run));
  draw();
  return { element, draw };
}

function problems(run) {
  if (!run.problems?.length) return null;
  return make(
    "section",
    { class: "problem" },
    make("h2", {}, "Could not be read"),
    run.problems.map((text) => make("p", {}, text)),
  );
}

function what({ row, meta }) {
  const before = row.resumed_from ? make("a", { href: hrefOf(["run", row.resumed_from]) }, row.resumed_from) : null;
  return make(
    "section",
    {},
    make("h2", {}, "The run"),
    row.command ? copyable(row.command) : null,
    terms(
      [
        ["Name", row.name],
        ["Group", row.run_group],
        ["Tags", row.tags?.split(",").join(", ")],
        ["Notes", row.notes],
        ["Script", row.script],
        ["Folder", meta.cwd],
        ["Commit", row.git_commit ? `${row.git_commit.slice(0, 12)}${row.git_dirty ? ", with changes" : ""}` : null],
        ["Versions", versions(meta)],
        ["Host", row.host],
        ["Device", row.device],
        ["Ranks", row.ranks > 1 ? count(row.ranks) : null],
        ["Goes on from", before],
        ["Started", moment(row.started)],
        ["Ended", row.ended ? moment(row.ended) : null],
        ["Stop reason", row.reason === row.status ? null : row.reason],
        ["Exit status", row.exit === null || row.exit === undefined ? null : String(row.exit)],
      ],
      { class: "facts" },
    ),
  );
}

/** What the program was set to, and what surefoot saw of it. */
function settings({ settings: all }) {
  if (!all.length) return null;
  const part = (title, some) =>
    some.length
      ? [
          make("h3", {}, title),
          terms(
            some.map(({ name, value }) => [name, settingText(value)]),
            { class: "facts settings" },
          ),
        ]
      : [];
  const isSeen = ({ name }) => name.startsWith(SEEN);
  const seen = all.filter(isSeen).map((one) => ({ ...one, name: one.name.slice(SEEN.length) }));
  return make(
    "section",
    {},
    make("h2", {}, "Settings"),
    part(
      "Of the program",
      all.filter((one) => !isSeen(one)),
    ),
    part("As seen", seen),
  );
}

function settingText(value) {
  if (typeof value === "number") return short(value, 12);
  return typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value);
}

function versions({ versions: known }) {
  if (!known) return null;
  let read = known;
  try {
    read = typeof known === "string" ? JSON.parse(known) : known;
  } catch {
    return String(known);
  }
  return Object.entries(read)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

function happened({ events: all }) {
  const events = all.filter(({ kind }) => kind !== "result"); // which has a view of its own
  if (!events.length) return null;
  const line = ({ step, kind, text }) =>
    make(
      "li",
      {},
      make("span", { class: "step" }, step === null ? "" : `step ${count(step)}`),
      make("b", {}, kind),
      ` ${text}`,
    );
  return make("section", {}, make("h2", {}, "Events"), make("ol", { class: "events" }, events.slice(-50).map(line)));
}
