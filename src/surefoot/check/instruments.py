"""Which instruments an experiment needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot.check.close_look import CloseLook
from surefoot.check.course import Course
from surefoot.check.experiment import Experiment, Result
from surefoot.check.feed import Feed, hold_out, repeat_first
from surefoot.check.gradients import Gradients, switch_dropout_off
from surefoot.check.interventions import LOOKS, ChangeInputs, RepeatFirst
from surefoot.check.judge import needs, overfit
from surefoot.check.observer import Observer
from surefoot.check.operations import Operations


def install(wanted: Experiment, result: Result, write: Callable[[], None], gradients: Path) -> Observer:
    observer = Observer(wanted, result, write)
    choose = None
    if wanted.kind in ("repeat", "gradients"):
        switch_dropout_off()
    if wanted.kind == "repeat":
        observer.peak_rates = True
        observer.is_clear = overfit.is_clear
        if wanted.by_hand:
            RepeatFirst(observer)
        else:
            choose = repeat_first(result)
    elif wanted.kind == "inputs":
        observer.peak_rates = True
        observer.is_clear = needs.is_clear
        ChangeInputs(observer)
        choose = None if wanted.by_hand else hold_out(result, wanted.train_steps, len(LOOKS), wanted.kept)
    feed = Feed(result, choose)
    feed.install()
    if wanted.kind == "watch":
        CloseLook(observer, feed)
    if wanted.kind in ("watch", "rerun", "course", "kill"):
        Course(observer, kills=wanted.kind == "kill")
    observer.install()
    if wanted.kind == "operations":
        operations = Operations(result, Path.cwd())
        if wanted.skipped:
            observer.after_step.append(
                lambda optimizer: operations.begin() if len(result.steps) + 1 == wanted.skipped else None
            )
        else:
            operations.begin()
    if wanted.kind == "gradients":
        Gradients(observer, gradients)
    return observer
