"""`surefoot compare --bisect`: run the commands of two runs again, to find the first operation that differs."""

import json
from argparse import Namespace
from pathlib import Path

from surefoot.check.bisect import CannotBisectError, Parting, Rerun, bisect
from surefoot.check.judge.equal import shown
from surefoot.cli.keeping import report_stored, result_run
from surefoot.cli.run_options import parse
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.launch.program import Program
from surefoot.runlog.read import Run
from surefoot.runlog.secret import HIDDEN

OF_THE_MACHINE = ("step_seconds", "items_per_second", "memory_bytes")  # series that differ in equal runs, too
MARGIN = 2  # steps that are run beyond the first difference that was logged


def report_divergence(first: Run, second: Run, step: int, options: Namespace) -> None:
    """`step`: the first whose logged values differ."""
    voice = Voice()
    kept = result_run(options, "compare", first.meta.get("script", first.name), voice)
    reruns = [_rerun(run) for run in (first, second)]
    voice.say("running both programs with their current files, in copies of their folders.")
    try:
        divergence = bisect(reruns[0], reruns[1], step + MARGIN, options.timeout, lambda text: voice.say(f"{text} …"))
    except CannotBisectError as error:
        raise UsageError(str(error)) from None
    message = _text(divergence, step)
    print(message)
    if kept is not None:
        result = {"runs": [first.name, second.name], "agrees": divergence.step is None}
        report_stored(kept.write(message, result, 0), voice)


def _text(divergence: Parting, logged: int) -> str:
    if divergence.step is None:
        return (
            f"The reruns agree in all {divergence.steps} steps, though the logs differ at step {logged}: the current "
            "programs compute the same. Compare commits, versions, machines and data."
        )
    losses = " and ".join(map(str, divergence.losses))
    message = f"The reruns differ from step {divergence.step} on, first in the {divergence.what}; its losses: {losses}."
    if divergence.operations is None:
        return f"{message}\nIn a second rerun the operations of that step are the same: the difference comes and goes."
    mine, yours = divergence.operations
    if mine[:2] == yours[:2]:
        return f"{message}\nFirst operation with a different result: {shown(mine)}"
    return f"{message}\nBoth compute the same up to here. Then\n  A computes {shown(mine)}\n  B computes {shown(yours)}"


def _rerun(run: Run) -> Rerun:
    meta = run.meta
    if meta.get("num_ranks", "1") != "1":
        raise UsageError(f"run {run.name} has {meta['num_ranks']} ranks: --bisect only repeats single processes.")
    cwd = Path(meta.get("cwd", ""))
    if not meta.get("cwd") or not cwd.is_dir():
        raise UsageError(f"the folder in which run {run.name} was started no longer exists: {str(cwd)!r}.")
    return Rerun(run.name, _program(run, json.loads(meta.get("command", "[]"))), cwd)


def _program(run: Run, words: list[str]) -> Program:
    if any(HIDDEN in word for word in words):
        raise UsageError(f"the command of run {run.name} was stored without its secrets, and can't be repeated.")
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-m":  # options of Python itself
        rest = rest[2:] if rest[0] in ("-X", "-W") else rest[1:]
    is_module = rest[:1] == ["-m"]
    rest = rest[is_module:]
    if rest and Path(rest[0]).stem == "surefoot" and rest[1:2] == ["run"]:
        return parse(rest[2:])[1]
    if not rest or (not is_module and Path(rest[0]).suffix != ".py"):
        raise UsageError(f"run {run.name} was not started as a script or module, and can't be repeated.")
    return Program(rest[0], tuple(rest[1:]), is_module)
