/** The frame: navigation, theme, and the view that the address asks for. */
import { make, replace } from "./dom.js";
import { failure, waiting } from "./empty.js";
import { here, hrefOf } from "./link.js";
import { canAsk, canFollow, onlyRun } from "./source.js";
import { themeSwitch } from "./theme/switch.js";
import { showCompare } from "./view/compare.js";
import { showQuery } from "./view/query.js";
import { showRun } from "./view/run.js";
import { showRuns } from "./view/runs.js";

const main = document.getElementById("main");
const PAGES = {
  run: showRun,
  compare: showCompare,
  query: showQuery,
  trace: late(() => import("./view/trace.js").then((module) => module.showTrace)),
  ranking: late(() => import("./view/ranking.js").then((module) => module.showRanking)),
  learn: late(() => import("./view/learn.js").then((module) => module.showLearn)),
  lab: late(() => import("./view/lab.js").then((module) => module.showLab)),
};
const LINKS = [
  ["Runs", []],
  ["Compare", ["compare"]],
  ["Query", ["query"]],
  ["Trace", ["trace"]],
  ["Learn", ["learn"]],
  ["Optimizer lab", ["lab"]],
];

let shown = null; // { key, view }

function show() {
  const { path, query } = here();
  const where = path.length === 0 && onlyRun ? ["run", onlyRun] : path;
  const key = JSON.stringify(where.slice(0, where[0] === "run" ? 2 : 1));
  markNavigation(where);
  if (shown?.key === key) {
    shown.view.set(where, query);
    return;
  }
  shown?.view.close();
  replace(main);
  window.scrollTo(0, 0);
  shown = { key, view: open(where, query) };
}

/** A view: { set(path, query), close() }. */
function open(path, query) {
  const page = path.length === 0 ? showRuns : PAGES[path[0]];
  if (page) return page(main, path, query);
  main.append(failure(new Error(`There is no page "${path.join("/")}". The list of runs is behind "Runs".`)));
  return { set() {}, close() {} };
}

/** A page that few open is loaded when somebody does. */
function late(load) {
  return (place, ...now) => {
    let view = null;
    let isClosed = false;
    place.append(waiting());
    load().then(
      (page) => {
        if (isClosed) return;
        replace(place);
        view = page(place, ...now);
      },
      () => isClosed || replace(place, failure(new Error("This page could not be loaded. Reload it."))),
    );
    return {
      set(...next) {
        now = next;
        view?.set(...next);
      },
      close() {
        isClosed = true;
        view?.close();
      },
    };
  };
}

function markNavigation(path) {
  const links = canFollow ? LINKS.filter(([, target]) => target[0] !== "query" || canAsk) : [];
  replace(
    document.getElementById("nav"),
    links.map(([text, target]) => {
      const isHere = (path[0] ?? "") === (target[0] ?? "") || (["run", "ranking"].includes(path[0]) && target.length === 0);
      return make("a", { href: hrefOf(target), "aria-current": isHere ? "page" : null }, text);
    }),
  );
}

document.getElementById("tools").append(themeSwitch());
window.addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is the view's
  main.focus();
});
show();
