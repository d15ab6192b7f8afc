/** All runs: a table that sorts, filters, and picks runs to compare. */
import { keepingFocus, make, replace, say } from "../dom.js";
import { empty, failure, waiting } from "../empty.js";
import { change, go, hrefOf } from "../link.js";
import { Live } from "../live.js";
import { ago, count, moment, short, span } from "../number.js";
import { runs as readRuns } from "../source.js";
import { attemptBadge, findingsText, liveBadge, statusBadge } from "../status.js";
import { spark } from "../chart/spark.js";
import { ChosenColumns } from "./columns.js";
import { Editing } from "./edit.js";
import { grouped } from "./groups.js";

const AT_ONCE = 200; // rows drawn before one asks for more
const MOST_COMPARED = 50;
const ARCHIVED = "archived"; // among statuses
const COLUMNS = [
  { name: "run", text: "Run", of: (row) => row.run },
  { name: "status", text: "Status", of: (row) => row.status },
  { name: "labels", text: "Labels", of: (row) => [row.run_group, row.tags].join(" ") },
  { name: "started", text: "Started", of: (row) => row.started ?? "" },
  { name: "seconds", text: "Took", of: (row) => row.seconds ?? -1, isNumber: true },
  { name: "updates", text: "Updates", of: (row) => row.updates ?? -1, isNumber: true },
  { name: "spark", text: "Loss" },
  { name: "last_loss", text: "Last", of: (row) => numberOr(row.last_loss, Infinity), isNumber: true },
  { name: "best_loss", text: "Best", of: (row) => numberOr(row.best_loss, Infinity), isNumber: true },
  { name: "findings", text: "Findings", of: (row) => (row.errors ?? 0) * 1e6 + (row.findings ?? 0) },
];

export function showRuns(place, path, query) {
  const rows = new Map();
  const picked = new Set();
  const badge = liveBadge();
  let numShown = AT_ONCE;
  let isLoaded = false;
  let folder = null;

  const filter = make("input", {
    type: "search",
    placeholder: "Filter by name, script, host…",
    "aria-label": "Filter runs",
    value: query.get("find"),
  });
  const status = make(
    "select",
    { "aria-label": "Status" },
    make("option", { value: "" }, "Any status"),
    ["running", "finished", "failed", "crashed", "unreadable"].map((name) => make("option", { value: name }, name)),
    make("option", { value: ARCHIVED }, "archived"),
  );
  status.value = query.get("status") ?? "";
  const hideable = COLUMNS.filter(({ name }) => name !== "run").map(({ name, text }) => [name, text]);
  const chosen = new ChosenColumns(() => isLoaded && draw(), hideable);
  const compareButton = make("button", { type: "button", class: "main", disabled: true }, "Compare");
  const rankLink = make("a", { class: "button" }, "Rank settings");
  const editing = new Editing({ rowsOf: () => [...picked].map((name) => rows.get(name)).filter(Boolean), edited });
  const summary = make("p", { class: "quiet-text" });
  const filters = make("span", { class: "filters" });
  const content = make("div", {}, waiting());
  place.append(
    make(
      "div",
      { class: "page-head" },
      make("h1", {}, "Runs"),
      badge.element,
      summary,
      filters,
      make("div", { class: "controls" }, filter, status, chosen.element, rankLink, compareButton),
    ),
    editing.element,
    content,
  );

  filter.addEventListener("input", () => change({ find: filter.value || null }));
  status.addEventListener("change", () => change({ status: status.value || null }));
  compareButton.addEventListener("click", () => go(["compare"], { run: [...picked] }));

  const live = new Live(null, badge.show);
  live.on("runs", ({ runs, gone }) => {
    for (const row of runs) rows.set(row.run, row);
    for (const name of gone) forget(name);
    chosen.load(runs.length > 0);
    if (isLoaded) draw();
  });
  readRuns().then(
    ({ runs, folder: where, can_edit: canEdit }) => {
      folder = where;
      editing.isAllowed = canEdit;
      for (const row of runs) if (!rows.has(row.run)) rows.set(row.run, row);
      isLoaded = true;
      draw();
    },
    (error) => replace(content, failure(error)),
  );

  chosen.set(query);

  function draw() {
    const found = sorted([...rows.values()].filter(matches(query, chosen)), query, chosen);
    summary.textContent =
      found.length === rows.size ? countText(rows.size) : `${countText(found.length)} of ${count(rows.size)}`;
    replace(filters, chosen.filters());
    const shown = { metric: query.get("metric"), is: query.getAll("is"), by: [query.get("by") ?? []].flat() };
    rankLink.href = hrefOf(["ranking"], shown);
    if (!rows.size)
      return replace(
        content,
        empty(
          "No runs yet",
          `Every script that runs under surefoot leaves one${folder ? ` in ${folder}` : ""}, and this page shows it as it goes.`,
          "surefoot run train.py",
        ),
      );
    if (!found.length)
      return replace(content, empty("No run fits the filter", "Remove a word, or choose another status."));
    const by = query.get("by");
    if (by) return replace(content, grouped(found, by, chosen));
    keepingFocus(content, () =>
      replace(content, table(found.slice(0, numShown)), found.length > numShown ? more(found.length - numShown) : null),
    );
  }

  function table(found) {
    const head = make(
      "tr",
      {},
      make("th", { class: "pick" }, make("span", { class: "unseen" }, "Pick")),
      shown(found).map(headCell),
    );
    return make(
      "div",
      { class: "table-frame" },
      make("table", { class: "runs" }, make("thead", {}, head), make("tbody", {}, found.map((row) => line(row, shown(found))))),
    );
  }

  /** Labels have a column where any run has some; settings, where they are chosen. */
  function shown(found) {
    const hasLabels = found.some((row) => row.run_group || row.tags);
    const own = COLUMNS.filter(({ name }) => (name !== "labels" || hasLabels) && !chosen.isHidden(name));
    return [...own, ...chosen.columns];
  }

  function headCell(column) {
    const { name, isDown } = order(query);
    const sort = column.name === name ? (isDown ? "descending" : "ascending") : null;
    if (!column.of) return make("th", { scope: "col", class: `column-${column.name}` }, column.text);
    const flip = () => change({ sort: column.name === name && isDown ? column.name : `-${column.name}` });
    const button = make(
      "button",
      { type: "button", "data-keep": `sort ${column.name}`, on: { click: flip } },
      column.text,
      sort ? make("span", { "aria-hidden": "true" }, isDown ? " ↓" : " ↑") : null,
    );
    return make(
      "th",
      { scope: "col", "aria-sort": sort, class: `column-${column.name}${column.isNumber ? " number" : ""}` },
      button,
    );
  }

  function line(row, columns) {
    const box = make("input", {
      type: "checkbox",
      "aria-label": `Pick ${row.run}`,
      checked: picked.has(row.run),
      "data-keep": `pick ${row.run}`,
    });
    box.addEventListener("change", () => pick(row.run, box));
    const isShown = new Set(columns.map(({ name }) => name));
    const cell = (name, ...children) =>
      isShown.has(name) &&
      make(
        "td",
        { class: `column-${name}${COLUMNS.find((column) => column.name === name).isNumber ? " number" : ""}` },
        children,
      );
    const finding = row.findings
      ? make(
          "a",
          { href: hrefOf(["run", row.run, "findings"]), class: row.errors ? "has-errors" : null },
          findingsText(row),
          row.errors ? null : make("span", { class: "phone-label" }, row.findings === 1 ? " warning" : " warnings"),
        )
      : make("span", { class: "quiet-text no-findings" }, "none");
    return make(
      "tr",
      {},
      make("td", { class: "pick" }, box),
      cell(
        "run",
        make("a", { href: hrefOf(["run", row.run]), "data-keep": `run ${row.run}` }, isNamed(row) ? row.name : row.run),
        make("span", { class: "script", title: row.notes ?? row.command }, belowName(row)),
      ),
      cell(
        "status",
        statusBadge(row),
        attemptBadge(row),
        row.ranks > 1 ? make("span", { class: "badge plain" }, `${row.ranks} ranks`) : null,
      ),
      cell("labels", labels(row)),
      cell("started", make("time", { datetime: row.started, title: moment(row.started) }, ago(row.started))),
      cell("seconds", span(row.seconds)),
      cell("updates", count(row.updates)),
      cell("spark", spark(row.spark)),
      cell("last_loss", make("span", { class: "phone-label" }, "last "), short(row.last_loss)),
      cell("best_loss", make("span", { class: "phone-label" }, "best "), short(row.best_loss)),
      cell("findings", finding),
      chosen.columns.map(({ key, text }) =>
        make(
          "td",
          { class: "chosen number", title: String(chosen.value(row.run, key) ?? "") },
          make("span", { class: "phone-label" }, `${text} `),
          chosen.text(row.run, key),
        ),
      ),
    );
  }

  function labels(row) {
    const only = (name, text) => () => change({ is: [...new Set([...query.getAll("is"), `${name}=${text}`])] });
    const label = (name, text, title) =>
      make("button", { type: "button", class: "badge plain label", title, on: { click: only(name, text) } }, text);
    return [
      row.run_group ? label("run_group", row.run_group, "Group: show only its runs") : null,
      ...(row.tags?.split(",") ?? []).map((tag) => label("tag", tag, "Tag: show only runs with it")),
    ];
  }

  function pick(name, box) {
    if (box.checked) picked.add(name);
    else picked.delete(name);
    if (picked.size > MOST_COMPARED) say(`At most ${MOST_COMPARED} runs are compared.`);
    showPicked();
  }

  function showPicked() {
    compareButton.disabled = picked.size < 2 || picked.size > MOST_COMPARED;
    compareButton.textContent = picked.size > 1 ? `Compare ${picked.size}` : "Compare";
    editing.show(picked.size);
  }

  function forget(name) {
    rows.delete(name);
    if (picked.delete(name)) showPicked();
  }

  /** What was edited is shown at once, and not only when the server tells the news. */
  async function edited(names, isGone) {
    if (isGone) names.forEach(forget);
    else for (const row of (await readRuns()).runs) rows.set(row.run, row);
    chosen.load(true);
    draw();
  }

  function more(num) {
    const show = () => {
      numShown += AT_ONCE;
      draw();
    };
    return make(
      "p",
      { class: "more" },
      make("button", { type: "button", on: { click: show } }, `Show more (${count(num)} left)`),
    );
  }

  return {
    set(_, now) {
      query = now;
      chosen.set(now);
      if (isLoaded) draw();
    },
    close() {
      live.close();
    },
  };
}

/** Whether somebody has called it something. */
function isNamed(row) {
  return Boolean(row.name) && row.name !== row.script;
}

function belowName(row) {
  return isNamed(row) ? [row.run, row.script].filter(Boolean).join(" · ") : (row.script ?? "");
}

function matches(query, chosen) {
  const words = (query.get("find") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const status = query.get("status");
  return (row) => {
    const told = [row.run, row.name, row.run_group, row.tags, row.notes, row.script, row.command, row.host, row.device];
    const text = [...told, row.git_commit].join(" ").toLowerCase();
    const isShown = status === ARCHIVED ? row.archived : !row.archived && (!status || row.status === status);
    return isShown && chosen.fits(row) && words.every((word) => text.includes(word));
  };
}

function order(query) {
  const text = query.get("sort") ?? "-run"; // names begin with the time of the start
  return { name: text.replace(/^-/, ""), isDown: text.startsWith("-") };
}

function sorted(rows, query, chosen) {
  const { name, isDown } = order(query);
  const of = [...COLUMNS, ...chosen.columns].find((column) => column.name === name)?.of ?? COLUMNS[0].of;
  const sign = isDown ? -1 : 1;
  return rows.sort((one, two) => sign * (of(one) < of(two) ? -1 : of(one) > of(two) ? 1 : 0));
}

function numberOr(value, other) {
  return value === null || value === undefined || Number.isNaN(Number(value)) ? other : Number(value);
}

function countText(num) {
  return num === 1 ? "1 run" : `${count(num)} runs`;
}
