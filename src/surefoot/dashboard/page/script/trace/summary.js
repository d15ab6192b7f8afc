/** A stage in a few words: what it did, and values before and after. */
import { duration, memory, norm, number, place, plural, shape, shapes, together } from "./word.js";

/** { what, value, change: { of, before, after }, bars: { of, before, after }, parts: [texts] }; null where there is none. */
export function summary(stage, trace) {
  const none = { what: "", value: null, change: null, bars: null, parts: [] };
  return { ...none, ...(TOLD[stage.kind]?.(stage, trace) ?? {}) };
}

export function nameOf(id, trace, name = "") {
  const known = name || trace.optimizers.find((one) => one.id === id)?.name || "optimizer";
  return trace.optimizers.length > 1 && id !== null ? `${known} (optimizer ${id})` : known;
}

export function wiringText(loss) {
  const told = loss.kind && loss.kind === loss.reduction ? [] : [loss.kind || "of unknown kind"];
  if (loss.reduction) {
    const items = (loss.num_items ?? null) === null ? "" : ` over ${plural(loss.num_items, "item")}`;
    told.push(`${loss.reduction}${items}`);
  }
  if ((loss.num_classes ?? null) !== null) told.push(`${loss.num_classes} classes`);
  if (loss.factor === null) told.push("times something that is no constant");
  else if (loss.factor !== undefined && loss.factor !== 1) told.push(`times ${number(loss.factor)}`);
  if (loss.terms?.length) told.push(`sum of ${loss.num_terms} terms`);
  return told.join(", ");
}

export function rates(some) {
  const distinct = [...new Set(some)];
  return distinct.length ? distinct.slice(0, 4).map(number).join(", ") : "unknown";
}

function tensorText({ shape: size, dtype, lowest, highest, num_bad: bad }) {
  const range = lowest === null ? "" : `, ${number(lowest)} … ${number(highest)}`;
  return `${shape(size)} ${dtype}${range}${bad ? `, ${bad} not finite` : ""}`;
}

const batches = (num) => (num === 1 ? "1 batch" : `${num} batches`);
const norms = (changes, key) => together(changes.map((change) => change[key]));
const column = (changes, key) => changes.map((change) => change[key]);

function gradients(changes, before = norms(changes, "before"), after = norms(changes, "after")) {
  if (!changes.length) return {};
  return {
    change: { of: "gradient norm", before: norm(before), after: norm(after) },
    bars: { of: "norm by parameter", before: column(changes, "before"), after: column(changes, "after") },
  };
}

const TOLD = {
  pass: ({ edge, epoch, loader, num_batches: num, complete }) => ({
    what:
      edge === "start"
        ? `pass ${epoch} over loader ${loader} begins${num ? `, ${batches(num)}` : ""}`
        : `loader ${loader} ${complete ? "has run out" : "was left"} after ${batches(num)}`,
  }),
  data: ({ number: at, length, seconds, items }) => ({
    what: `batch ${at}${length === null ? "" : ` of ${length}`}, waited ${duration(seconds)}`,
    parts: items
      .slice(0, 4)
      .map(({ name, tensor, kind }) => `${name || "batch"}: ${tensor ? tensorText(tensor) : kind}`),
  }),
  forward: ({ model, training, calls, num_left_out: left }) => {
    const [whole, ...inner] = calls;
    if (!whole) return { what: model };
    const inside = inner.length + left ? `${plural(inner.length + left, "call")} inside, ` : "";
    return {
      what: `${model}${training ? "" : ", in eval mode"}: ${inside}${duration(whole.seconds)}, ${memory(whole.num_bytes)}`,
      change: { of: "shape", before: shapes(whole.given), after: shapes(whole.output) },
      parts: [
        whole.num_bad
          ? `${plural(whole.num_bad, "value")} of the output not finite`
          : `output: mean ${number(whole.mean)}, spread ${number(whole.spread)}`,
      ],
      bars: inner.length ? { of: "spread by module", after: inner.map((call) => call.spread) } : null,
    };
  },
  evaluation: ({ models, seconds }) => ({
    what: `without gradients: ${Object.entries(models)
      .map(([model, times]) => (times > 1 ? `${model} ${times} times` : model))
      .join(", ")}, ${duration(seconds)}`,
  }),
  loss: ({ value, wiring }) => ({
    what: wiring ? wiringText(wiring) : "of unknown kind",
    value: number(value),
    parts: wiring?.terms?.map((term) => `+ ${wiringText(term)}`) ?? [],
  }),
  clear: ({ optimizer, name, model, set_to_none: toNone, changes, num_unused: unused, inside_step: inside }, trace) => {
    const who = optimizer === null ? model : nameOf(optimizer, trace, name);
    if (!changes.length) return { what: `zero_grad() of ${who}: nothing was there` };
    return {
      what: `zero_grad() of ${who}: ${plural(changes.length, "gradient")}`,
      parts: unused && inside === null ? [`${unused} of them no step had used`] : [],
      change: { of: "gradient norm", before: norm(norms(changes, "before")), after: toNone ? "none" : "0" },
    };
  },
  backward: ({ backward, changes, num_params: all, norm: whole, seconds, scale, retain_graph: kept }) => ({
    what: `number ${backward}: ${changes.length}${all ? ` of ${all}` : ""} parameters got gradients, ${duration(seconds)}`,
    parts: [scale ? "of a scaled loss" : "", kept ? "graph kept" : ""].filter(Boolean),
    ...gradients(changes, undefined, whole),
  }),
  edit: ({ changes, before_stage: before }) => {
    const gone = changes.every((change) => change.after === null);
    const what = `other code ${gone ? "removed" : "changed"} ${plural(changes.length, "gradient")}, seen before ${before}`;
    return { what, ...gradients(changes) };
  },
  unscale: ({ optimizer, scale, changes }, trace) => ({
    what: `gradients of ${nameOf(optimizer, trace)} divided by ${number(scale)}`,
    ...gradients(changes),
  }),
  clip: ({ by, limit, norm: was, factor, norm_after: after, num_gradients: num, num_params: all, changes }) => {
    if (!num) return { what: `${all} parameters passed, none with a gradient` };
    const told = gradients(changes);
    if (by === "value")
      return { what: `elements cut at ±${number(limit)}: ${plural(changes.length, "gradient")} changed`, ...told };
    const isWithin = factor === 1;
    return {
      what: isWithin
        ? `within the limit of ${number(limit)}: nothing changed`
        : `limit ${number(limit)}: ${plural(num, "gradient")} times ${number(factor)}`,
      ...told,
      change: { of: "gradient norm", before: norm(was), after: norm(after) },
    };
  },
  step: ({ optimizer, skipped, changes, window, rates: lrs }, trace) => {
    if (skipped) return { what: `${nameOf(optimizer, trace)} skipped by the GradScaler: gradients are not finite` };
    const moved = changes.filter((change) => Number(change.moved) > 0).length;
    const used = window.length
      ? `uses backward ${window.length > 6 ? `${window[0]}–${window.at(-1)}` : window.join(", ")}`
      : "uses no backward";
    return {
      what: `${nameOf(optimizer, trace)}, rate ${rates(lrs)}: ${moved} of ${changes.length} parameters moved; ${used}`,
      change: changes.length
        ? { of: "weight norm", before: norm(norms(changes, "before")), after: norm(norms(changes, "after")) }
        : null,
      parts: changes.length ? [`moved by ${number(norms(changes, "moved"))}`] : [],
      bars: changes.length ? { of: "moved by parameter", after: column(changes, "moved") } : null,
    };
  },
  schedule: ({ name, count, metric, rates: some }) => ({
    what: `${name || "scheduler"}, call ${count}${metric === null ? "" : `, given ${number(metric)}`}${some.length ? "" : ": rate unchanged"}`,
    change: some.length
      ? {
          of: "rate",
          before: some.map((one) => rates(one.before)).join("; "),
          after: some.map((one) => rates(one.after)).join("; "),
        }
      : null,
  }),
};

/** Where in the program, and what stands there. */
export function lineOf(stage, trace, source) {
  if (!stage.site) return null;
  return { at: place(stage.site, trace.folder), text: source.get(`${stage.site.file}:${stage.site.line}`) ?? "" };
}
