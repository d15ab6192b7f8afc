/** A table that sorts and searches; the address keeps both. Long ones are drawn in parts. */
import { keepingFocus, make, replace } from "../dom.js";
import { change } from "../link.js";
import { count } from "../number.js";

const AT_ONCE = 150; // rows drawn before one asks for more
const SEARCHED = 8; // so many rows are worth a search

/** columns: [{ name, text, of(row): what sorts, show(row): text or element, isNumber, isName }] */
export class DataTable {
  #columns;
  #rows;
  #query;
  #numShown = AT_ONCE;
  #place = make("div", {});
  #count = make("span", { class: "quiet-text" });

  constructor(title, columns, rows, query) {
    [this.#columns, this.#rows, this.#query] = [columns, rows, query];
    this.find = make("input", {
      type: "search",
      placeholder: "Search…",
      "aria-label": `Search ${title}`,
      value: query.get("find"),
    });
    this.find.addEventListener("input", () => change({ find: this.find.value || null }));
    const hasNames = columns.some((column) => column.isName);
    const tools = rows.length >= SEARCHED && hasNames ? [this.find, this.#count] : [];
    this.element = make(
      "section",
      { class: "trace-table" },
      make("div", { class: "section-head" }, make("h3", {}, title), tools),
      this.#place,
    );
    this.#draw();
  }

  set(query) {
    const isSame = ["find", "sort"].every((name) => query.get(name) === this.#query.get(name));
    this.#query = query;
    if (document.activeElement !== this.find) this.find.value = query.get("find") ?? "";
    if (!isSame) this.#draw();
  }

  #draw() {
    const found = this.#sorted(this.#found());
    this.#count.textContent =
      found.length === this.#rows.length
        ? count(found.length)
        : `${count(found.length)} of ${count(this.#rows.length)}`;
    const left = found.length - this.#numShown;
    const more = () => {
      this.#numShown += AT_ONCE;
      this.#draw();
    };
    const head = make(
      "tr",
      {},
      this.#columns.map((column) => this.#headCell(column)),
    );
    const body = found.slice(0, this.#numShown).map((row) =>
      make(
        "tr",
        {},
        this.#columns.map((column) => cell(column, row)),
      ),
    );
    const table = make("table", { class: "small-table" }, make("thead", {}, head), make("tbody", {}, body));
    keepingFocus(this.#place, () =>
      replace(
        this.#place,
        found.length
          ? make("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Table" }, table)
          : make("p", { class: "quiet-text" }, "Nothing fits the search."),
        left > 0
          ? make(
              "p",
              { class: "more" },
              make("button", { type: "button", on: { click: more } }, `Show more (${count(left)} left)`),
            )
          : null,
      ),
    );
  }

  #found() {
    const words = (this.#query.get("find") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const names = this.#columns.filter((column) => column.isName);
    if (!words.length || !names.length || this.#rows.length < SEARCHED) return [...this.#rows];
    return this.#rows.filter((row) => {
      const text = names
        .map((column) => column.of(row))
        .join(" ")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #sorted(rows) {
    const { name, isDown } = this.#order();
    const column = this.#columns.find((one) => one.name === name);
    if (!column) return rows; // as it happened
    const sign = isDown ? -1 : 1;
    const key = (row) => (column.isNumber ? rank(column.of(row)) : String(column.of(row)));
    return rows.sort((one, two) => sign * (key(one) < key(two) ? -1 : key(one) > key(two) ? 1 : 0));
  }

  #order() {
    const text = this.#query.get("sort") ?? "";
    return { name: text.replace(/^-/, ""), isDown: text.startsWith("-") };
  }

  /** Numbers from the highest down, names from the first on; a third time as it happened. */
  #headCell(column) {
    const { name, isDown } = this.#order();
    const isHere = column.name === name;
    const first = column.isNumber ? `-${column.name}` : column.name;
    const second = column.isNumber ? column.name : `-${column.name}`;
    const now = isHere ? (isDown ? `-${name}` : name) : null;
    const next = now === null ? first : now === first ? second : null;
    const button = make(
      "button",
      { type: "button", "data-keep": `sort ${column.name}`, on: { click: () => change({ sort: next }) } },
      column.text,
      isHere ? make("span", { "aria-hidden": "true" }, isDown ? " ↓" : " ↑") : null,
    );
    const sort = isHere ? (isDown ? "descending" : "ascending") : null;
    return make("th", { scope: "col", "aria-sort": sort, class: column.isNumber ? "number" : null }, button);
  }
}

function cell({ show, of, isNumber, isWide }, row) {
  const shown = show ? show(row) : String(of(row) ?? "–");
  return make("td", { class: [isNumber && "number", isWide && "wide"].filter(Boolean).join(" ") || null }, shown);
}

/** What is not finite stands above all numbers, what is missing below. */
function rank(value) {
  if (value === null || value === undefined) return -Infinity;
  const number = Number(value);
  return Number.isNaN(number) ? Infinity : number;
}
