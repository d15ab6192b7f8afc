"""Compare the two runs of a pair."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.verify.fork_runner import ForkRunner
from benchmarks.verify.pairs import PROGRAMS, Pair
from surefoot.verify.verdict import Verdict
from surefoot.verify.verifier import Reference

TIMEOUT_SECONDS = 120


class Workbench:
    """References are run once for all pairs of a program, at each precision."""

    def __init__(self, folder: Path, steps: int) -> None:
        self._folder = folder
        self._runner = ForkRunner(folder / "runs", steps, TIMEOUT_SECONDS)
        self._references: dict[str, Reference] = {}

    def compare(self, pair: Pair) -> Verdict:
        name = pair.program
        if name not in self._references:
            shutil.copy(PROGRAMS / f"{name}.py", self._folder / "work")
            self._references[name] = Reference(self._runner, [f"{name}.py"])
        other = self._folder / "work" / "other.py"
        other.write_text(pair.code(), encoding="utf-8")
        return self._references[name].compare(self._runner.run([other.name, *pair.args], pair.preset))


@contextmanager
def workbench(steps: int = 3) -> Iterator[Workbench]:
    before = Path.cwd()
    folder = Path(tempfile.mkdtemp(prefix="surefoot-verify-")).resolve()
    (folder / "work").mkdir()
    (folder / "runs").mkdir()
    try:
        os.chdir(folder / "work")
        yield Workbench(folder, steps)
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def problem(pair: Pair, verdict: Verdict) -> str:
    """What is wrong about what was said; nothing if it is right."""
    first = verdict.first
    if not pair.is_defect:
        return "" if first is None else f"accused: {first.distance.stage} of {first.distance.name}"
    if first is None:
        return "missed"
    told = first.distance.stage, first.distance.name
    if told != (pair.quantity, pair.tensor):
        return f"names {told[0]} of {told[1]}, not {pair.quantity} of {pair.tensor}: {verdict.likely}"
    return "" if pair.says in verdict.likely else f"says {verdict.likely!r}"
