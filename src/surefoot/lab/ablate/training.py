"""One trial, in whatever process it runs."""

from __future__ import annotations

import json
import random
import sys
import traceback
import zlib
from collections.abc import Callable, Iterator
from os import PathLike
from time import perf_counter
from typing import Any

import torch

from surefoot.lab.ablate.plan import Budget, Outcome, Plan, shown
from surefoot.lab.making import made_by
from surefoot.lab.trial import loss_of
from surefoot.loop.batch import tensors_of
from surefoot.loop.loop import Loop
from surefoot.loop.update import NonFiniteError
from surefoot.runlog.write.current import start_run
from surefoot.runlog.write.run import Run

MOST_MARKS = 256
LAST = 0.1  # of the updates, whose mean loss counts where nothing is held out

Log = str | PathLike[str] | None


def train(make: Callable[..., Any], plan: Plan, budget: Budget, log: Log) -> Outcome:
    """Whatever goes wrong is told in the outcome, so that the other trials go on."""
    started = perf_counter()
    try:
        return _train(make, plan, budget, log, started)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        return Outcome(plan, seconds=perf_counter() - started, error=problem, trace=traceback.format_exc())


def _train(make: Callable[..., Any], plan: Plan, budget: Budget, log: Log, started: float) -> Outcome:
    run = None if log is None else _start_run(plan, log)
    seed_all(plan.seed)
    loop, loader, loss_fn, *rest = made_by(make, **plan.settings)
    give_order(loader, plan.seed)
    seed_all(plan.seed)  # whatever was drawn to make it, training begins with the same numbers
    marks: list[int] = []
    reason, error, loss = "finished", None, None
    try:
        for batch in _batches(loop, loader, budget, marks):
            with loop.step() as step:
                step.backward(loss_of(loop, loss_fn, batch))
        loss = _score(loop, loss_fn, rest)
    except NonFiniteError as refused:
        error = f"diverged: {refused}".partition(". ")[0]
    except BaseException:
        reason = "raised"
        raise
    finally:
        num_findings = sum(finding.severity != "note" for finding in loop.findings)
        loop.close()
        if run is not None:
            run.close(reason)
    folder = None if run is None or not run.folder.is_dir() else str(run.folder)
    return Outcome(
        plan, loss, bool(rest), loop.num_updates, perf_counter() - started, num_findings, tuple(marks), folder, error
    )


def _batches(loop: Loop, loader: Any, budget: Budget, marks: list[int]) -> Iterator[Any]:
    for batch in loop.batches(loader, budget.epochs):  # none: until the updates are done
        if len(marks) < MOST_MARKS:
            marks.append(mark(batch))
        yield batch
        if budget.updates is not None and loop.num_updates >= budget.updates:
            return


def _score(loop: Loop, loss_fn: Any, rest: list[Any]) -> float | None:
    if rest and rest[0] is not None:
        held_out = loop.evaluate(rest[0], loss_fn)["loss"]
        loop.history.add_to_last({"val/loss": held_out})
        return held_out
    losses = [row["loss"] for row in loop.history]
    last = losses[-max(1, round(LAST * len(losses))) :]
    return sum(last) / len(last) if last else None


def _start_run(plan: Plan, log: str | PathLike[str]) -> Run:
    words = [*(f"{shown(value)}" for value in plan.settings.values()), f"seed{plan.seed}"]
    run = start_run(log, name="-".join(words).replace(".", "_"))
    run.meta("ablation", json.dumps({name: shown(v) for name, v in plan.settings.items()} | {"seed": plan.seed}))
    return run


def seed_all(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def give_order(loader: Any, seed: int) -> None:
    """A loader that would draw from torch's common numbers gets its own: what a model draws must not move its order."""
    sampler = getattr(loader, "sampler", None)
    inner = getattr(getattr(loader, "batch_sampler", None), "sampler", None)
    for part in (loader, sampler, inner):
        if part is not None and getattr(part, "generator", part) is None:
            part.generator = torch.Generator().manual_seed(seed)


def mark(batch: Any) -> int:
    """A checksum of the batch's tensors."""
    found = 0
    for tensor in tensors_of(batch):
        whole = tensor.detach().cpu().contiguous().reshape(-1)
        found = zlib.crc32(whole.view(torch.uint8).numpy().data, found)
    return found
