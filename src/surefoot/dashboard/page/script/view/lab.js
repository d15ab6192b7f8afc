/** The optimizer lab: torch's optimizers on surfaces that can be seen. The address has the settings, the server paths. */
import { make, replace, say } from "../dom.js";
import { change } from "../link.js";
import { descend } from "../source.js";
import { PathCard } from "../lab/card.js";
import { MOST_PATHS, NUM_SAMPLES, SHARED, START } from "../lab/catalogue.js";
import { Curves } from "../lab/curves.js";
import { Group } from "../lab/form.js";
import { SurfaceMap } from "../lab/map.js";
import { PRESETS } from "../lab/preset.js";
import { inWords, resultTable } from "../lab/result.js";
import {
  changePath,
  changeSurface,
  nameOf,
  readState,
  sharedValue,
  startOf,
  surfaceOf,
  toRequest,
  writeState,
} from "../lab/state.js";

const PATIENCE_MS = 300; // with a request, before a newer one takes its place
const SIGN_MS = 250; // before it is said that something is computed

await styled("static/style/lab.css"); // the surface is drawn in its colours

export function showLab(place, path, query) {
  let state = readState(query);
  let asked = null; // { key, own: AbortController, since }
  let isStale = false;
  let answered = ""; // what the last answer was to
  let signTimer = null;
  const cards = [];
  const map = new SurfaceMap((start) => turn({ ...state, start }));
  const shared = new Group({ class: "settings lab-shared" });
  const about = make("p", { class: "quiet-text lab-about" });
  const look = make("p", { class: "lab-look", hidden: true });
  const sign = make("p", { class: "lab-sign" });
  const problem = make("p", { class: "problem card", role: "alert", hidden: true });
  const results = make("div", {});
  const charts = make("div", { class: "lab-charts" });
  const curves = new Curves(charts, query);
  const pathsPlace = make("div", { class: "lab-cards" });
  const add = make("button", { type: "button", on: { click: () => copyPath(state.paths.length - 1) } }, "Add a path");
  const presets = PRESETS.map((preset) =>
    make("button", { type: "button", class: "small", on: { click: () => usePreset(preset) } }, preset.title),
  );
  place.append(
    make("div", { class: "page-head" }, make("h1", {}, "Optimizer lab"), about),
    make("div", { class: "lab-presets", role: "group", "aria-label": "Examples" }, presets),
    look,
    shared.element,
    problem,
    make(
      "div",
      { class: "lab-both" },
      make("section", { class: "card lab-surface", "aria-label": "Surface and paths" }, map.element, results),
      make("section", { "aria-label": "Curves" }, make("h2", { class: "unseen" }, "Curves by update"), charts),
      make(
        "section",
        { class: "lab-all", "aria-label": "Settings of the paths" },
        make("div", { class: "section-head" }, make("h2", {}, "Paths"), add),
        pathsPlace,
      ),
    ),
    make("p", { class: "quiet-text lab-honest" }, honest()),
  );
  map.element.append(sign);
  show();

  /** New settings: into the address, which shows them. */
  function turn(next, also = {}, how = {}) {
    state = next;
    change({ ...writeState(state), ...also }, how);
  }

  function show() {
    const surface = surfaceOf(state);
    map.setSurface(surface);
    map.setStart(startOf(state));
    replace(about, `${surface.title}: `, make("code", {}, `loss = ${surface.text}`), `. ${surface.about}`);
    showLook();
    shared.set([...SHARED.slice(0, 1), ...START, ...SHARED.slice(1)], valueOfShared, changeShared);
    while (cards.length > state.paths.length) cards.pop().element.remove();
    while (cards.length < state.paths.length) addCard();
    const limits = { canCopy: state.paths.length < MOST_PATHS, canRemove: state.paths.length > 1 };
    state.paths.forEach((one, i) => cards[i].set(state, one, limits));
    add.disabled = !limits.canCopy;
    ask();
  }

  function showLook() {
    const shown = PRESETS.findIndex((preset) => sameSettings(preset.state, state));
    presets.forEach((button, i) => button.setAttribute("aria-pressed", String(i === shown)));
    look.hidden = shown < 0;
    look.textContent = PRESETS[shown]?.look ?? "";
  }

  function valueOfShared(field) {
    const at = START.indexOf(field);
    return at < 0 ? sharedValue(state, field) : startOf(state)[at];
  }

  function changeShared(name, value) {
    const at = START.findIndex((field) => field.name === name);
    if (name === "surface") turn(changeSurface(state, value));
    else if (at < 0) turn({ ...state, [name]: value });
    else turn({ ...state, start: startOf(state).with(at, value) });
  }

  function addCard() {
    const number = cards.length;
    const card = new PathCard(number, {
      change: (name, value) => {
        const changed = changePath(state.paths[number], name, value);
        turn({ ...state, paths: state.paths.with(number, changed) });
      },
      copy: () => copyPath(number),
      remove: () => removePath(number),
    });
    cards.push(card);
    pathsPlace.append(card.element);
  }

  function copyPath(number) {
    if (state.paths.length >= MOST_PATHS) return;
    turn({ ...state, paths: [...state.paths, { ...state.paths[number] }] });
    cards.at(-1).element.querySelector("select").focus();
    say(`Path ${state.paths.length} added`);
  }

  function removePath(number) {
    turn({ ...state, paths: state.paths.toSpliced(number, 1) });
    cards[Math.min(number, cards.length - 1)].element.querySelector("select").focus();
    say(`Path ${number + 1} removed`);
  }

  function usePreset(preset) {
    const whole = { from: null, to: null }; // of the curves
    turn({ ...preset.state, paths: preset.state.paths.map((one) => ({ ...one })) }, whole, { isStep: true });
    say(preset.look);
  }

  /** One at a time. One that takes long gives way to a newer; else the newer waits for it: so a drag is followed. */
  async function ask() {
    const key = JSON.stringify(toRequest(state));
    if (key === (asked?.key ?? answered)) return;
    if (asked && performance.now() - asked.since < PATIENCE_MS) {
      isStale = true;
      setTimeout(() => asked && isStale && ask(), PATIENCE_MS);
      return;
    }
    asked?.own.abort();
    const mine = (asked = { key, own: new AbortController(), since: performance.now() });
    isStale = false;
    clearTimeout(signTimer);
    signTimer = setTimeout(showSign, SIGN_MS);
    try {
      const { paths } = await descend(JSON.parse(key), mine.own.signal);
      if (mine === asked) showPaths(paths.map((one, i) => ({ ...one, name: nameOf(state, state.paths[i] ?? {}) })));
    } catch (error) {
      if (mine !== asked) return;
      tell(error.name === "AbortError" ? new Error("Cancelled. Change a setting to compute again.") : error);
    }
    if (mine !== asked) return;
    asked = null;
    answered = key;
    hideSign();
    if (isStale) ask();
  }

  function showPaths(paths) {
    tell(null);
    map.setPaths(paths, inWords(paths));
    replace(results, resultTable(paths, surfaceOf(state)));
    curves.show(paths);
  }

  /** What is wrong: at its setting, and in words where it has none. What was drawn before fades. */
  function tell(error) {
    const fields = error?.fields ?? {};
    const known = new Set(shared.tell((name) => fields[name] ?? fields[`start.${name}`]));
    for (const card of cards) card.tell(fields);
    const isElsewhere = (name) => !known.has(name.replace(/^start\./, "")) && !name.startsWith("paths.");
    const rest = Object.keys(fields).filter(isElsewhere).map((name) => fields[name]);
    const text = error && Object.keys(fields).length === 0 ? error.message : rest.join(" ");
    problem.hidden = !text;
    problem.textContent = text;
    if (error) replace(results);
    for (const old of [map.element, charts]) old.classList.toggle("is-old", error !== null);
    if (error && !text) say(error.message);
  }

  function showSign() {
    const click = () => asked?.own.abort();
    const cancel = make("button", { type: "button", class: "small", on: { click } }, "Cancel");
    replace(sign, "Computing… ", cancel);
    say("Computing…");
  }

  function hideSign() {
    clearTimeout(signTimer);
    replace(sign);
  }

  return {
    set(_, now) {
      state = readState(now);
      curves.set(now);
      show();
    },
    close() {
      hideSign();
      const last = asked;
      asked = null;
      last?.own.abort();
      map.close();
      curves.close();
    },
  };
}

function honest() {
  return (
    "All paths are computed by torch itself, in float32, by an ordinary loop. The surface is the mean of the losses " +
    `of ${NUM_SAMPLES} samples: sample i has the loss of the surface plus aᵢ · w, a pull of its own, and the pulls ` +
    "add up to zero. So the gradient of a mini-batch or of a single sample is right on average and off each time, by " +
    "the spread. Samples are shuffled anew each epoch by the seed. The loss that is shown is that of the surface."
  );
}

function sameSettings(one, two) {
  return JSON.stringify(writeState(one)) === JSON.stringify(writeState(two));
}

/** Styles that are loaded with the page they are for. */
function styled(href) {
  return new Promise((resolve, reject) => {
    document.head.append(make("link", { rel: "stylesheet", href, on: { load: resolve, error: reject } }));
  });
}
