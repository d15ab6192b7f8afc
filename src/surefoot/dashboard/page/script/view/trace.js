/** Traces: the list, and one of them, drawn step by step. Loaded when it is first opened. */
import { keepingFocus, make, replace } from "../dom.js";
import { empty, failure, waiting } from "../empty.js";
import { change, hrefOf } from "../link.js";
import { ago, bytes, count, moment } from "../number.js";
import * as source from "../source.js";
import { detail } from "../trace/detail.js";
import { epochTable } from "../trace/epochs.js";
import { Flow } from "../trace/flow.js";
import { lanes } from "../trace/lanes.js";
import { sourceOf, stepsOf } from "../trace/model.js";

const WIDE = matchMedia("(min-width: 960px)");
const ENDINGS = { raised: "raised an exception", interrupted: "was interrupted" };
const COMMAND = "surefoot trace train.py";

export function showTrace(place, path, query) {
  const content = make("div", { class: "trace" }, waiting());
  place.append(content);
  let shown = null; // { name, view }
  let isClosed = false;

  const set = (nowPath, nowQuery) => {
    const name = nowPath[1] ?? null;
    if (shown?.name === name) return shown.view.set(nowQuery);
    shown?.view.close();
    replace(content, waiting());
    shown = { name, view: name === null ? listOf(content, nowQuery) : one(content, name, nowQuery) };
  };

  dressed().then(() => isClosed || set(path, query));
  return {
    set(...now) {
      [path, query] = now;
      if (shown) set(path, query);
    },
    close() {
      isClosed = true;
      shown?.view.close();
    },
  };
}

function isOut(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom < 60 || top > innerHeight - 60;
}

/** Its style comes with it; whether it came or not, the page is shown. */
let dress = null;
function dressed() {
  dress ??= new Promise((ready) => {
    const on = { load: ready, error: ready };
    document.head.append(make("link", { rel: "stylesheet", href: "static/style/trace.css", on }));
  });
  return dress;
}

function listOf(content, query) {
  let isClosed = false;
  let isLoaded = false;
  let all = [];
  const find = make("input", {
    type: "search",
    placeholder: "Filter by script…",
    "aria-label": "Filter traces",
    value: query.get("find"),
  });
  find.addEventListener("input", () => change({ find: find.value || null }));
  const body = make("div", {});

  /** Also when one comes back from the terminal, where another was made. */
  const load = () =>
    document.visibilityState === "visible" &&
    source.traces().then(
      ({ traces }) => {
        if (isClosed || (isLoaded && JSON.stringify(traces) === JSON.stringify(all))) return;
        [all, isLoaded] = [traces, true];
        const controls = make("div", { class: "controls" }, traces.length > 8 ? find : null);
        replace(content, make("div", { class: "page-head" }, make("h1", {}, "Traces"), controls), body);
        draw();
      },
      (error) => isClosed || replace(content, failure(error)),
    );
  document.addEventListener("visibilitychange", load);
  window.addEventListener("focus", load);
  load();

  function draw() {
    if (!all.length)
      return replace(
        body,
        empty(
          "No traces yet",
          "A trace shows what one step of a training does, stage by stage, from data to update. It runs your script unchanged:",
          COMMAND,
        ),
      );
    const text = (query.get("find") ?? "").toLowerCase();
    const found = all.filter((row) => `${row.name} ${(row.command ?? []).join(" ")}`.toLowerCase().includes(text));
    if (!found.length) return replace(body, empty("No trace fits", `None has “${text}” in its name or command.`));
    const titles = ["Trace", "Made", "Steps", "Optimizers", "Size"];
    replace(
      body,
      make(
        "div",
        { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Traces" },
        make(
          "table",
          { class: "traces" },
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              titles.map((title) => make("th", { scope: "col" }, title)),
            ),
          ),
          make("tbody", {}, found.map(line)),
        ),
      ),
    );
  }

  function line(row) {
    const made = row.started ?? new Date(1000 * row.modified).toISOString();
    return make(
      "tr",
      {},
      make(
        "td",
        {},
        make("a", { href: hrefOf(["trace", row.name]) }, row.name),
        make("span", { class: "script" }, row.problem ?? (row.command ?? []).join(" ")),
      ),
      make("td", {}, make("time", { datetime: made, title: moment(made) }, ago(made))),
      make("td", {}, row.first ? stepsText(row) : "–"),
      make("td", {}, (row.optimizers ?? []).map((one) => one.name).join(", ")),
      make("td", {}, bytes(row.num_bytes)),
    );
  }

  return {
    set(now) {
      query = now;
      if (isLoaded) draw();
    },
    close() {
      isClosed = true;
      document.removeEventListener("visibilitychange", load);
      window.removeEventListener("focus", load);
    },
  };
}

function stepsText({ first, num_steps: num, num_taken: taken }) {
  const last = Math.min(first + num - 1, taken ?? Infinity);
  return `${last > first ? `${first}–${last}` : first} of ${count(taken)}`;
}

function one(content, name, query) {
  const [top, left, right] = [
    make("div", {}),
    make("div", { class: "trace-flow" }),
    make("div", { class: "trace-side" }),
  ];
  let [trace, steps, lines] = [null, [], null];
  let drawn = { step: null }; // { step, stage, panel, flow }
  let isClosed = false;

  source.trace(name).then(
    ({ trace: told }) => {
      if (isClosed) return;
      [trace, steps, lines] = [told, stepsOf(told), sourceOf(told)];
      document.title = `${told.script} · surefoot`;
      replace(content, head(), top, make("div", { class: "trace-body" }, left, right), epochTable(trace), ending());
      draw();
    },
    (error) => isClosed || replace(content, failure(error)),
  );
  WIDE.addEventListener("change", redraw);

  function head() {
    const made = trace.started;
    const fact = (text, value) => (value ? make("div", {}, make("dt", {}, text), make("dd", {}, value)) : null);
    return make(
      "div",
      { class: "run-head" },
      make(
        "div",
        { class: "run-title" },
        make("h1", {}, `Trace of ${trace.script}`),
        make("a", { href: "#/trace" }, "All traces"),
      ),
      make(
        "dl",
        { class: "run-facts" },
        fact("Command", (trace.command ?? []).join(" ")),
        fact("Steps", stepsText(trace)),
        fact("Optimizers", trace.optimizers.map((each) => each.name).join(", ")),
        made ? fact("Made", make("time", { datetime: made, title: moment(made) }, ago(made))) : null,
      ),
    );
  }

  function ending() {
    const off = Object.entries(trace.off ?? {}).map(([part, why]) =>
      make("p", { class: "stage-finding warning" }, `${part} was switched off: ${why}`),
    );
    const cut = trace.num_left_out ? make("p", {}, `${count(trace.num_left_out)} more stages were left out.`) : null;
    const byHand = " If it updates its weights by itself, that is no step of an optimizer.";
    const hint =
      trace.ended === "max-steps"
        ? `Ended after ${count(trace.num_taken)} steps. --steps N shows more, --to-end runs the whole script.`
        : `The script took ${count(trace.num_taken)} steps and ${ENDINGS[trace.ended] ?? "ended"}.${trace.num_taken ? "" : byHand}`;
    return make("div", { class: "trace-end quiet-text" }, off, cut, make("p", {}, hint));
  }

  /** The step and the stage that the address names. Where there is room, the first forward is open. */
  function wanted() {
    const step = steps.find(({ number }) => number === Number(query.get("step"))) ?? steps[0] ?? null;
    const asked = query.get("stage") === null ? null : Number(query.get("stage")) - 1;
    if (asked !== null && step?.stages[asked]) return { step, stage: asked };
    const first = step ? step.stages.findIndex(({ kind }) => kind === "forward") : -1;
    return { step, stage: WIDE.matches && step ? Math.max(0, first) : null };
  }

  function draw() {
    const { step, stage } = wanted();
    if (!step) return replace(left, empty("Nothing was traced", "No optimizer took a step in this program.", COMMAND));
    if (step !== drawn.step) drawStep(step);
    if (stage === drawn.stage) return drawn.panel?.set(query);
    const chosen = drawn.flow.choose(stage ?? -1);
    drawn.panel?.element.remove();
    drawn.stage = stage;
    drawn.panel = chosen && detail(step.stages[stage], chosen.alike, trace, lines, query);
    if (!chosen) return;
    if (WIDE.matches)
      right.append(drawn.panel.element); // beside the flow; on a narrow page, below its stage
    else chosen.element.append(drawn.panel.element);
    if (query.has("stage") && isOut(chosen.element)) chosen.element.scrollIntoView({ block: "center" });
  }

  function drawStep(step) {
    const href = (at) => hrefOf(["trace", name], { step: step.number, stage: at + 1 });
    keepingFocus(top, () => replace(top, lanes(steps, trace, { href: hrefOfStep, chosen: step.number })));
    drawn.panel?.element.remove();
    drawn = { step, stage: undefined, panel: null, flow: new Flow(step, trace, lines, href) };
    replace(left, make("h2", {}, title(step)), drawn.flow.element);
  }

  function redraw() {
    if (!trace) return;
    drawn.panel?.element.remove();
    drawn = { step: null };
    draw();
  }

  function hrefOfStep(number) {
    return hrefOf(["trace", name], { step: number });
  }

  function title({ number, step }) {
    if (!step) return `Step ${number}, not taken`;
    return `Step ${number}: ${step.name}${trace.optimizers.length > 1 ? ` (optimizer ${step.optimizer})` : ""}, its update ${step.update}`;
  }

  return {
    set(now) {
      query = now;
      if (trace) draw();
    },
    close() {
      isClosed = true;
      WIDE.removeEventListener("change", redraw);
      document.title = "surefoot";
    },
  };
}
