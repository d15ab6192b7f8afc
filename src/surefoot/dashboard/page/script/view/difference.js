/** Two runs in words: the first step that differs, the settings that do, and the series. */
import { make, replace } from "../dom.js";
import { failure, waiting } from "../empty.js";
import { count, short } from "../number.js";
import * as source from "../source.js";

/** Of the first run against another one. */
export async function tellDifferences(place, names) {
  const other = make(
    "select",
    { "aria-label": "Against" },
    names.slice(1).map((name) => make("option", { value: name }, name)),
  );
  const body = make("div", { class: "sections" });
  other.addEventListener("change", show);
  replace(place, names.length > 2 ? make("label", {}, "First run against", other) : null, body);

  async function show() {
    replace(body, waiting());
    try {
      replace(body, differences(await source.compare(names[0], other.value)));
    } catch (error) {
      replace(body, failure(error));
    }
  }
  await show();
}

function differences({ settings, series, first_difference: first }) {
  const summary =
    first === null ? "At the steps that both have, all series are alike." : `They differ from step ${count(first)} on.`;
  const parts = series.filter((one) => one.first_difference !== null || one.last_a === null || one.last_b === null);
  return [
    make("section", { class: "card" }, make("h2", {}, "First difference"), make("p", {}, summary)),
    make(
      "section",
      { class: "card" },
      make("h2", {}, "Settings that differ"),
      settings.length
        ? table(
            ["Setting", "First", "Second"],
            settings.map(({ name, a, b }) => [name, text(a), text(b)]),
          )
        : make("p", { class: "quiet-text" }, "None: same command, commit, versions, host."),
    ),
    make(
      "section",
      { class: "card" },
      make("h2", {}, "Series"),
      parts.length
        ? table(
            ["Series", "Last", "", "Differs from"],
            parts.map((one) => [
              one.name,
              short(one.last_a),
              short(one.last_b),
              one.first_difference === null ? "–" : count(one.first_difference),
            ]),
          )
        : make("p", { class: "quiet-text" }, "All alike."),
    ),
  ];
}

function table(titles, rows) {
  return make(
    "div",
    { class: "table-frame", tabindex: "0" },
    make(
      "table",
      { class: "small-table" },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          titles.map((title) => (title ? make("th", { scope: "col" }, title) : make("td", {}))),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) =>
          make(
            "tr",
            {},
            row.map((value) => make("td", {}, value)),
          ),
        ),
      ),
    ),
  );
}

function text(value) {
  return value === null || value === undefined ? "–" : String(value);
}
