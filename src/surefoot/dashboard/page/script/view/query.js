/** SQL over all runs: a table, and a quick chart of it. */
import { make, replace, say } from "../dom.js";
import { change } from "../link.js";
import { count, short } from "../number.js";
import { query as ask } from "../source.js";
import { saveTable } from "../chart/save.js";
import { isOdd, quickChart } from "./quick.js";

const AT_ONCE = 200;
const EXAMPLES = [
  ["Runs by their loss", "select run, status, updates, last_loss, findings\nfrom runs\norder by last_loss"],
  [
    "Loss of the newest run",
    "select step, value as loss\nfrom scalars\nwhere name = 'loss' and run = (select max(run) from runs)\norder by step",
  ],
  [
    "Rules that fired",
    "select rule, severity, count(distinct run) as runs, sum(count) as times\nfrom findings\ngroup by all\norder by times desc",
  ],
  [
    "Largest gradients",
    "select name, max(value) as largest\nfrom scalars\nwhere name like 'grad_norm/%'\ngroup by name\norder by largest desc\nlimit 20",
  ],
];
const VIEWS = ["runs", "scalars", "params", "steps", "findings", "hists", "events"];

export function showQuery(place, path, query) {
  const input = make("textarea", {
    rows: "6",
    spellcheck: "false",
    "aria-label": "SQL",
    placeholder: "select * from runs",
  });
  input.value = query.get("sql") ?? EXAMPLES[0][1];
  const run = make("button", { type: "button", class: "main", on: { click: start } }, "Run");
  const result = make("div", { class: "sections" });
  let asked = null;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start();
  });
  const examples = EXAMPLES.map(([title, sql]) =>
    make("button", { type: "button", class: "small", on: { click: () => use(sql) } }, title),
  );
  place.append(
    make(
      "div",
      { class: "page-head" },
      make("h1", {}, "Query"),
      make(
        "p",
        { class: "quiet-text" },
        "DuckDB's SQL over ",
        VIEWS.map((name, i) => [i ? ", " : "", make("code", {}, name)]),
        ". It reads, and nothing else.",
      ),
    ),
    make(
      "div",
      { class: "ask" },
      input,
      make(
        "div",
        { class: "ask-tools" },
        run,
        make("span", { class: "quiet-text" }, "Ctrl+Enter"),
        make("span", { class: "examples" }, examples),
      ),
    ),
    result,
  );
  if (query.get("sql")) start();

  function use(sql) {
    input.value = sql;
    start();
  }

  async function start() {
    asked?.abort();
    const own = (asked = new AbortController());
    change({ sql: input.value });
    const waiting = make("span", {}, "Asking… ");
    const first = make("div", {});
    const stop = make("button", { type: "button", class: "small", on: { click: () => own.abort() } }, "Stop");
    replace(result, make("p", { class: "waiting" }, waiting, stop), first);
    const hear = ({ columns, rows }) => {
      if (!first.hasChildNodes()) first.append(pages(columns, rows.slice(0, AT_ONCE)));
      replace(waiting, `${count(rows.length)} rows so far… `);
    };
    try {
      show(await ask(input.value, hear, own.signal));
    } catch (error) {
      if (own !== asked) return;
      replace(
        result,
        make("p", { class: "problem card", role: "alert" }, error.name === "AbortError" ? "Stopped." : error.message),
      );
    }
  }

  function show(answer) {
    const { columns, rows, is_cut: isCut, seconds, problems } = answer;
    const text = `${count(rows.length)} row${rows.length === 1 ? "" : "s"}${isCut ? ", cut there" : ""}, ${short(seconds, 2)} s`;
    say(text);
    const save = make(
      "button",
      { type: "button", class: "small", on: { click: () => saveTable("query", columns, rows) } },
      "CSV",
    );
    replace(
      result,
      problems?.length
        ? make(
            "div",
            { class: "problem card" },
            problems.map((one) => make("p", {}, one)),
          )
        : null,
      make("div", { class: "section-head" }, make("h2", {}, text), save),
      rows.length > 1 ? quickChart(columns, rows) : null,
      rows.length ? pages(columns, rows) : make("p", { class: "quiet-text" }, "No rows."),
    );
  }

  return {
    set(_, now) {
      query = now;
    },
    close: () => asked?.abort(),
  };
}

function pages(columns, rows) {
  const body = make("tbody", {});
  const more = make("p", { class: "more" });
  const isNumber = columns.map((_, i) =>
    rows.every((row) => row[i] === null || typeof row[i] === "number" || isOdd(row[i])),
  );
  let num = 0;
  const add = () => {
    body.append(
      ...rows.slice(num, num + AT_ONCE).map((row) =>
        make(
          "tr",
          {},
          row.map((value, i) => make("td", { class: isNumber[i] ? "number" : null }, cell(value))),
        ),
      ),
    );
    num = Math.min(rows.length, num + AT_ONCE);
    replace(
      more,
      num < rows.length
        ? make("button", { type: "button", on: { click: add } }, `Show more (${count(rows.length - num)} left)`)
        : null,
    );
  };
  add();
  const head = make(
    "tr",
    {},
    columns.map((name, i) => make("th", { scope: "col", class: isNumber[i] ? "number" : null }, name)),
  );
  return make(
    "div",
    {},
    make(
      "div",
      { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Answer" },
      make("table", { class: "answer" }, make("thead", {}, head), body),
    ),
    more,
  );
}

function cell(value) {
  if (value === null || value === undefined) return make("span", { class: "quiet-text" }, "null");
  if (typeof value === "number") return short(value, 6);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
