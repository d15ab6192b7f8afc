/** Learn: families and rules at the left, one of them beside. Loaded when it is first opened. */
import { make, replace } from "../dom.js";
import { failure, waiting } from "../empty.js";
import { hrefOf } from "../link.js";
import { Contents } from "../learn/contents.js";
import { familyPage } from "../learn/family.js";
import { rulePage } from "../learn/rule.js";
import { inline } from "../learn/text.js";
import * as source from "../source.js";

await new Promise((ready) => {
  const on = { load: ready, error: ready }; // without its style it can still be read
  document.head.append(make("link", { rel: "stylesheet", href: "static/style/learn.css", on }));
});

const WIDE = matchMedia("(min-width: 900px)");

export function showLearn(place, path, query) {
  const content = make("div", { class: "learn-page" });
  const aside = make("details", { class: "learn-aside", open: true }, make("summary", {}, "All rules"));
  place.append(make("div", { class: "learn" }, aside, content));
  replace(content, waiting());
  let [name, shown] = [undefined, null]; // of what is shown
  let contents = null;
  let isClosed = false;

  async function start() {
    try {
      const { families } = await source.lessons();
      if (isClosed) return;
      contents = new Contents(families);
      contents.families = families;
      aside.append(contents.element);
      set(path, query);
    } catch (error) {
      replace(content, failure(error));
    }
  }

  function set(nowPath, nowQuery) {
    [path, query] = [nowPath, nowQuery];
    if (!contents) return;
    const wanted = path[1] ?? null;
    contents.set(wanted, query.get("find") ?? "");
    if (wanted === name) return shown?.set(query);
    shown?.close();
    [name, shown] = [wanted, null];
    fold();
    if (wanted === null) replace(content, overview(contents.families));
    else show(wanted);
  }

  /** Where there is room for one column, the list is in the way of what was chosen. */
  function fold() {
    aside.open = WIDE.matches || name === null;
  }

  async function show(wanted) {
    replace(content, waiting());
    window.scrollTo(0, 0);
    const isFamily = contents.families.some(({ family }) => family === wanted);
    try {
      const told = await (isFamily ? source.family(wanted) : source.lesson(wanted));
      if (isClosed || name !== wanted) return;
      if (isFamily) return replace(content, familyPage(told));
      shown = rulePage(told, query);
      replace(content, shown.elements);
    } catch (error) {
      if (name === wanted) replace(content, failure(error));
    }
  }

  WIDE.addEventListener("change", fold);
  start();
  return {
    set,
    close() {
      isClosed = true;
      WIDE.removeEventListener("change", fold);
      shown?.close();
    },
  };
}

function overview(families) {
  return [
    make(
      "header",
      { class: "learn-head" },
      make("h1", {}, "Learn"),
      make(
        "p",
        { class: "quiet-text" },
        "What goes wrong in training without an error: the misconception, the facts, and two small programs for each, which you can run here.",
      ),
    ),
    make(
      "div",
      { class: "families" },
      families.map(({ family, about, rules }) =>
        make(
          "article",
          { class: "card" },
          make("h2", {}, make("a", { href: hrefOf(["learn", family]) }, family)),
          make("p", {}, inline(about)),
          make("p", { class: "quiet-text" }, `${rules.length} rules, 3 questions`),
        ),
      ),
    ),
  ];
}
