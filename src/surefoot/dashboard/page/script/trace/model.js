/** A trace as it is walked through: steps, their stages, and which stages belong together. */

const MOST_ALIKE = 3; // forwards or batches in a row that are all shown

/** [{ number, stages, step }]: `step` is the stage that ends it, or null if it was not taken. */
export function stepsOf(trace) {
  const found = new Map();
  for (const stage of trace.stages) {
    if (!found.has(stage.step)) found.set(stage.step, { number: stage.step, stages: [], step: null });
    const one = found.get(stage.step);
    one.stages.push(stage);
    if (stage.kind === "step" && stage.inside_step === null) one.step ??= stage;
  }
  return [...found.values()].sort((one, two) => one.number - two.number);
}

/** Stages in a row, as [{ at, stage, alike }]: games call one model over and over at one line, and some look at all batches first. */
export function knots(stages) {
  const made = [];
  stages.forEach((stage, at) => {
    const last = made.at(-1);
    if (last && isAlike(last.stage, stage)) last.alike.push(stage);
    else made.push({ at, stage, alike: [stage] });
  });
  return made.flatMap((knot) =>
    knot.alike.length > MOST_ALIKE
      ? [knot]
      : knot.alike.map((stage, i) => ({ at: knot.at + i, stage, alike: [stage] })),
  );
}

/** What a step is drawn as: { knots } alone, or { title, what, parts: [{ title, loss, knots }] } for what adds up. */
export function groups(step) {
  const all = knots(step.stages);
  const isBackward = ({ stage }) => stage.kind === "backward";
  if (all.filter(isBackward).length < 2) return [{ knots: all }];
  const last = all.findLastIndex(isBackward);
  const parts = [];
  let open = [];
  for (const knot of all.slice(0, last + 1)) {
    open.push(knot);
    if (isBackward(knot)) {
      parts.push(open);
      open = [];
    }
  }
  const isClosure = parts.every((part) => part.some(({ stage }) => stage.inside_step !== null));
  const used = new Set(step.step?.window ?? []);
  const isUsed = (part) => isClosure || !step.step || used.has(part.at(-1).stage.backward);
  const numUsed = parts.filter(isUsed).length;
  const isWhole = numUsed === parts.length;
  const word = isClosure ? "Closure call" : isWhole ? "Micro-batch" : "Backward";
  const titles = parts.map(
    (part, i) => `${word} ${i + 1} of ${parts.length}${isUsed(part) ? "" : ": not used by this step"}`,
  );
  const [title, what] = isClosure
    ? [`Closure, called ${parts.length} times`, "by the step, as it looks for its way"]
    : isWhole
      ? [`Window of ${parts.length} micro-batches`, "their gradients add up until they are cleared"]
      : [`${parts.length} backwards`, `the step uses what ${numUsed === 1 ? "one" : numUsed} of them left`];
  const lossOf = (part) => part.findLast(({ stage }) => stage.kind === "loss")?.stage.value ?? null;
  return [
    { title, what, parts: parts.map((part, i) => ({ title: titles[i], loss: lossOf(part), knots: part })) },
    { knots: all.slice(last + 1) },
  ];
}

/** By "file:line". */
export function sourceOf(trace) {
  return new Map((trace.source ?? []).map(({ file, line, text }) => [`${file}:${line}`, text]));
}

function isAlike(one, two) {
  const line = ({ site }) => (site ? `${site.file}:${site.line}` : "");
  if (one.kind !== two.kind || line(one) !== line(two)) return false;
  return one.kind === "data" || (one.kind === "forward" && one.model === two.model);
}
