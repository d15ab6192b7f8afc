"""A trace as people read it: stage by stage, in the order in which it happened."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import IO

from surefoot.lab.trace.describe import Describe
from surefoot.lab.trace.stage import Data, Epoch, Forward, Stage, Step, Trace
from surefoot.lab.trace.write import INDENT, TO, WIDTH, Row, cut, number, place, plural, table, wrapped

HEAD, STAGE, PLAIN, ALARM = "bold cyan", "bold", "", "red"
Line = tuple[str, str]  # text, style
ENDINGS = {"raised": "raised an exception", "interrupted": "was interrupted"}
MOST_ALIKE = 3  # forwards or batches in a row that are all shown
MOST_UNTAKEN = 24  # stages of a step that was never taken: of a program that updates by hand they are all there is


def as_text(trace: Trace, stream: IO[str] | None, *, folder: str, full: bool = False) -> str:
    """For that stream: with styles on a terminal, plain elsewhere."""
    lines = [(cut(text), style) for text, style in _lines(trace, folder, full)]
    if stream is None or not stream.isatty():
        return "".join(f"{text}\n" for text, _ in lines)
    from rich.console import Console
    from rich.text import Text

    target = io.StringIO()
    console = Console(file=target, force_terminal=True, highlight=False, soft_wrap=True)
    for text, style in lines:
        console.print(_styled(text, style) if style == STAGE else Text(text, style))
    return target.getvalue()


def _styled(text: str, style: str) -> object:
    from rich.text import Text

    whole = Text(text)
    whole.stylize(style, 0, INDENT)
    return whole


def _lines(trace: Trace, folder: str, full: bool) -> Iterator[Line]:
    describe = Describe(folder, full=full, optimizers=trace.optimizers)
    yield f"surefoot trace: {trace.script}", HEAD
    if not trace.stages:
        yield _nothing(trace), PLAIN
    step, num_shown = 0, 0
    taken = {stage.step for stage in trace.stages if isinstance(stage, Step)}
    left_out = 0
    for alike in _runs(trace.stages):
        if alike[0].step != step:
            step, num_shown = alike[0].step, 0
            yield "", PLAIN
            yield _title(trace, step), HEAD
        num_shown += 1
        if not full and step not in taken and num_shown > MOST_UNTAKEN:
            left_out += len(alike)
            continue
        shown = alike if full or len(alike) <= MOST_ALIKE else alike[:1]
        for stage in shown:
            yield from _stage(describe, stage, folder)
        if len(shown) < len(alike):
            yield f"{' ' * INDENT}… and {len(alike) - 1} more of these in a row", PLAIN
    if left_out:  # it can only be the last step
        yield f"{' ' * INDENT}… and {plural(left_out, 'more stage')}; --full shows them", PLAIN
    if trace.num_left_out:
        yield "", PLAIN
        yield f"{plural(trace.num_left_out, 'more stage')} left out.", PLAIN
    if trace.epochs:
        yield from _epochs(trace.epochs, folder)
    for name, why in trace.off.items():
        yield "", PLAIN
        yield f"{name} was switched off: {why}", ALARM
    if trace.stages:
        yield "", PLAIN
        yield _end(trace), PLAIN
    if trace.stages and not trace.num_taken:
        yield "If it updates its weights by itself, that is no step of an optimizer.", PLAIN


def _runs(stages: Sequence[Stage]) -> list[list[Stage]]:
    """Together what comes many times in a row at one line: forwards as a game is played, batches that are looked at."""
    runs: list[list[Stage]] = []
    for stage in stages:
        if runs and _is_alike(runs[-1][-1], stage):
            runs[-1].append(stage)
        else:
            runs.append([stage])
    return runs


def _is_alike(before: Stage, stage: Stage) -> bool:
    if (before.kind, before.step, before.site) != (stage.kind, stage.step, stage.site):
        return False
    if isinstance(before, Forward) and isinstance(stage, Forward):
        return before.model == stage.model
    return isinstance(stage, Data)


def _nothing(trace: Trace) -> str:
    if trace.num_taken:
        return f"There is no step {trace.first}: the script took {plural(trace.num_taken, 'step')}."
    return "No optimizer took a step in this process. Child processes are not traced."


def _title(trace: Trace, step: int) -> str:
    own = next((s for s in trace.stages if isinstance(s, Step) and s.step == step), None)
    who = "" if own is None else f"{own.name}, its update {own.update}"
    if own is not None and len(trace.optimizers) > 1:
        who = f"optimizer {own.optimizer}: {who}"
    title = f"── step {step} " + (f"── {who} " if who else "(not taken) ")
    return title.ljust(WIDTH, "─")


def _stage(describe: Describe, stage: Stage, folder: str) -> Iterator[Line]:
    lead = "·" if stage.inside_step is not None and not isinstance(stage, Step) else ""
    where = place(stage.site, folder)
    first, *more = describe.stage(stage)
    head = f"{lead}{stage.kind}".ljust(INDENT)
    first, *rest = wrapped(f"{head}{where}  {first}" if where else f"{head}{first}")
    yield first, STAGE
    below = " " * INDENT
    for line in rest:
        yield line, PLAIN
    for line in more:
        for part in [line] if line.startswith(below) else wrapped(below + line):
            yield part, PLAIN
    for finding in stage.findings if isinstance(stage, Step) else ():
        for part in wrapped(below + finding):
            yield part, ALARM


def _epochs(epochs: tuple[Epoch, ...], folder: str) -> Iterator[Line]:
    yield "", PLAIN
    yield "── epoch by epoch ".ljust(WIDTH, "─"), HEAD
    several = len({epoch.site for epoch in epochs}) > 1
    rows = []
    for epoch in epochs:
        name = f"{epoch.epoch}" if not several else f"{epoch.epoch} of loader {epoch.loader}"
        name += "" if epoch.complete else ", left"
        for curve in epoch.losses:
            steps = f"{epoch.first_step}" + f"{TO}{epoch.last_step}" * (epoch.last_step > epoch.first_step)
            losses = (number(curve.first), number(curve.last), number(curve.mean))
            rows.append((name, steps, place(curve.site, folder), str(curve.num), *losses))
            name = ""
    first = "epoch" if epochs[0].loader is not None else "part"
    headers: Row = (first, "steps", "backward", "losses", "first", "last", "mean")
    for line in table(headers, rows, ("losses", "first", "last", "mean")):
        yield line, PLAIN
    held_out = [
        (str(epoch.epoch), str(one.step), place(one.site, folder), one.name or one.kind, str(one.num), number(one.loss))
        for epoch in epochs
        for one in epoch.held_out
    ]
    if held_out:
        yield "", PLAIN
        headers = (first, "after step", "without gradients", "loss", "losses", "mean")
        for line in table(headers, held_out, ("after step", "losses", "mean")):
            yield line, PLAIN
    answers = [
        (
            str(epoch.epoch), "in training" if one.step is None else f"after step {one.step}", place(one.site, folder),
            str(one.num), f"{one.share:.1%}",
        )
        for epoch in epochs
        for one in epoch.accuracies
    ]  # fmt: skip
    if answers:
        yield "", PLAIN
        for line in table((first, "answers given", "loss", "answers", "right"), answers, ("answers", "right")):
            yield line, PLAIN


def _end(trace: Trace) -> str:
    taken = plural(trace.num_taken, "step")
    if trace.ended == "max-steps":
        return f"Ended after {taken}. --steps N before its name shows more, --to-end runs the whole script."
    return f"The script took {taken} and {ENDINGS.get(trace.ended, 'ended')}."
