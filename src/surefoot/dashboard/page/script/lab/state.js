/** The lab's settings, as the address has them: what is default is left out, what is nonsense is kept and told. */
import { OPTIMIZERS, PATH, SCHEDULES, SHARED, START, SURFACES } from "./catalogue.js";

const SAID_OFF = { divide: "not divided" }; // the one switch that is on unless it is turned off

/** { surface, start: [w0, w1], steps, seed, spread, paths: [{ optimizer, … }] } with what is given, not more. */
export function readState(query) {
  const state = { paths: query.getAll("path").map(readPath) };
  for (const field of SHARED) if (query.has(field.name)) state[field.name] = readValue(field, query.get(field.name));
  if (query.has("start")) state.start = query.get("start").split(",").map((text) => readValue(START[0], text));
  if (!state.paths.length) state.paths.push({ optimizer: "SGD" });
  return state;
}

/** For `change` of link.js. */
export function writeState(state) {
  const shared = SHARED.map(({ name, default: usual }) => [name, state[name] === usual ? null : (state[name] ?? null)]);
  return {
    ...Object.fromEntries(shared),
    start: state.start ? state.start.join(",") : null,
    path: state.paths.map((path) => writePath(path)),
  };
}

/** What the server is asked: all that matters, so that it says of each what is wrong. */
export function toRequest(state) {
  const request = { start: startOf(state), paths: state.paths.map((path) => pathRequest(state, path)) };
  for (const { name } of SHARED) if (state[name] !== undefined) request[name] = state[name];
  return request;
}

export function surfaceOf(state) {
  return SURFACES[state.surface] ?? SURFACES.bowl;
}

export function startOf(state) {
  return state.start ?? surfaceOf(state).start;
}

export function sharedValue(state, field) {
  return state[field.name] ?? (field.name === "spread" ? surfaceOf(state).spread : field.default);
}

export function pathValue(state, path, field) {
  return path[field.name] ?? (field.name === "rate" ? suggestedRate(state, path) : field.default);
}

/** All settings that a path has with its optimizer and schedule, in three groups. */
export function fieldsOf(path) {
  const named = Object.fromEntries(PATH.map((field) => [field.name, field]));
  return {
    optimizer: [named.optimizer, named.rate, ...(OPTIMIZERS[path.optimizer]?.fields ?? [])],
    schedule: [named.schedule, ...(SCHEDULES[path.schedule ?? "constant"]?.fields ?? [])],
    gradient: [
      named.noise,
      path.noise === "mini" ? named.batch_size : null,
      named.accumulate,
      (path.accumulate ?? 1) === 1 ? null : named.divide,
      named.clip_norm,
      named.forget_zero,
    ].filter(Boolean),
  };
}

/** A path after one setting has changed. Another optimizer has other settings, and its rates are no use to it. */
export function changePath(path, name, value) {
  if (name === "optimizer")
    return { ...keep(path, (own) => !isOfOptimizer(path, own) && own !== "rate"), optimizer: value };
  if (name === "schedule") return { ...keep(path, (own) => !isOfSchedule(path, own)), schedule: value };
  return { ...path, [name]: value };
}

/** Another surface: its own start, spread and rates. */
export function changeSurface(state, surface) {
  const { start: _, spread: __, ...rest } = state;
  return { ...rest, surface, paths: state.paths.map((path) => keep(path, (name) => name !== "rate")) };
}

export function readValue(field, text) {
  if (field.kind === "switch") return text === "1" ? true : text === "0" ? false : text;
  if (field.kind === "choice") return text;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

/** What tells it from others, in words. */
export function nameOf(state, path) {
  const { optimizer, schedule, gradient } = fieldsOf(path);
  const title = OPTIMIZERS[path.optimizer]?.title ?? path.optimizer;
  const said = [...optimizer.slice(2), ...schedule, ...gradient]
    .filter((field) => pathValue(state, path, field) !== field.default)
    .map((field) => inWords(field, pathValue(state, path, field)));
  return [`${title} ${pathValue(state, path, { name: "rate" })}`, ...said].join(", ");
}

function inWords(field, value) {
  if (field.kind === "switch") return value ? field.title.toLowerCase() : SAID_OFF[field.name];
  if (field.kind === "choice") return (field.choices[value] ?? value).toLowerCase();
  return field.name === "clip_norm" ? `clip norm ${value}` : `${field.title.toLowerCase()} ${value}`;
}

function suggestedRate(state, path) {
  const kind = OPTIMIZERS[path.optimizer];
  const surface = surfaceOf(state);
  return kind?.rate ?? (kind?.is_adaptive ? surface.adaptive_rate : surface.rate);
}

function pathRequest(state, path) {
  const { optimizer, schedule, gradient } = fieldsOf(path);
  const own = [...optimizer, ...schedule, ...gradient].map((field) => [field.name, pathValue(state, path, field)]);
  return { ...path, ...Object.fromEntries(own) };
}

/** "SGD rate=0.1 momentum=0.9" */
function readPath(text) {
  const [optimizer, ...rest] = text.split(/\s+/).filter(Boolean);
  const path = { optimizer: optimizer ?? "SGD" };
  for (const part of rest) {
    const [name, value = ""] = part.split("=", 2);
    const field = allFields(path).find((one) => one.name === name);
    if (name !== "optimizer" && name !== "__proto__") path[name] = field ? readValue(field, value) : value;
  }
  return path;
}

function writePath(path) {
  const usual = Object.fromEntries(allFields(path).map((field) => [field.name, field.default]));
  const parts = Object.entries(path)
    .filter(([name, value]) => name !== "optimizer" && (name === "rate" || value !== usual[name]))
    .map(([name, value]) => `${name}=${String(value === true ? 1 : value === false ? 0 : value).replace(/\s+/g, "_")}`);
  return [path.optimizer, ...parts].join(" ");
}

function allFields(path) {
  const ofSchedules = Object.values(SCHEDULES).flatMap(({ fields }) => fields);
  return [...PATH, ...(OPTIMIZERS[path.optimizer]?.fields ?? []), ...ofSchedules];
}

function isOfOptimizer(path, name) {
  return (OPTIMIZERS[path.optimizer]?.fields ?? []).some((field) => field.name === name);
}

function isOfSchedule(path, name) {
  return (SCHEDULES[path.schedule]?.fields ?? []).some((field) => field.name === name);
}

function keep(object, isKept) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isKept(name)));
}
