"""What is said about the processes that a program started, and about steps that were not watched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.report.report import Process, Report


MOST_NAMES = 5


def nothing_trained(report: Report) -> str:
    """Where an optimizer was looked for in vain."""
    num = len(report.processes)
    if not num:
        return "no optimizer step was seen, so there was little to judge"
    several = f"the {num} Python processes" if num > 1 else "the Python process"
    program = PurePath(report.script).name
    return f"no optimizer stepped in {program} or in {several} it started ({_names(report.processes)})"


def who_trained(report: Report) -> Iterator[str]:
    trained = [process for process in report.processes if process.steps]
    if trained:
        several = f"{len(trained)} child processes" if len(trained) > 1 else "1 child process"
        yield f"{several} trained ({_names(trained)})"


def not_covered(report: Report) -> Iterator[str]:
    """A line for what the report does not cover."""
    for what, steps in report.not_watched.items():
        whose, _, why = what.partition(": ")
        several = f"{steps} steps of {whose} were" if steps > 1 else f"1 step of {whose} was"
        yield f"{several} not watched: {why}."
    for command, why in list(report.not_followed.items())[:MOST_NAMES]:
        yield f"not followed: {command}: {why}"
    num_more = len(report.not_followed) - MOST_NAMES
    if num_more > 0:
        yield f"not followed: {num_more} more; --report FILE lists them all."
    partial = [process for process in report.processes if not process.is_complete]
    if partial:
        several = f"{len(partial)} child processes" if len(partial) > 1 else "1 child process"
        how = "still ran or were killed" if len(partial) > 1 else "still ran or was killed"
        yield f"{several} ({_names(partial)}) {how} when the run ended; the last findings may be missing."


def _names(processes: Sequence[Process]) -> str:
    names = list(dict.fromkeys(process.name for process in processes))
    return ", ".join([*names[:MOST_NAMES], *(["…"] if len(names) > MOST_NAMES else [])])
