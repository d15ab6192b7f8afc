"""A program of somebody else's repository: where it lies, how it is run, and what is changed for it to run here."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STAND_IN = Path(__file__).parent / "stand_in"


@dataclass(frozen=True, slots=True)
class Workload:
    name: str
    folder: str
    command: str
    edits: Sequence[tuple[str, str, str]] = ()  # file, what to look for (a pattern), what to put there
    kind: str = "clean"  # or "bug", or "fixed"
    theirs: str = ""
    before: str = ""  # a script that prepares data
    steps: int = 0  # end it after so many updates
    copies: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int | None  # None: it took too long
    steps: int
    findings: Sequence[str]
    tail: str


def run(workload: Workload, checkout: Path, seconds: float = 600) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "workload"
        shutil.copytree(checkout / workload.folder, home, ignore=shutil.ignore_patterns("*.ipynb", "*.png", "trace_*"))
        for source, target in workload.copies:
            shutil.copy(home / source, home / target)
        for file, pattern, replacement in workload.edits:
            _edit(home / file, pattern, replacement)
        environment = os.environ | {"PYTHONPATH": str(STAND_IN), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
        if workload.before:
            before = [sys.executable, workload.before]
            subprocess.run(before, cwd=home, env=environment, check=True, capture_output=True)
        limit = ["--max-steps", str(workload.steps)] if workload.steps else []
        command = [sys.executable, "-m", "surefoot", "run", "--no-log", "--report", "report.json", *limit]
        command += workload.command.split()
        try:
            done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=seconds)
            status, tail = done.returncode, done.stderr[-600:]
        except subprocess.TimeoutExpired:
            status, tail = None, ""
        return Outcome(status, *_report(home / "report.json"), tail)


def _edit(file: Path, pattern: str, replacement: str) -> None:
    text, count = re.subn(pattern, replacement, file.read_text(encoding="utf-8"))
    if not count:
        raise ValueError(f"{file.name} has no {pattern!r}: the checkout differs from what these edits were written for")
    file.write_text(text, encoding="utf-8")


def _report(file: Path) -> tuple[int, list[str]]:
    if not file.exists():
        return 0, []
    report = json.loads(file.read_text(encoding="utf-8"))
    found = [one for one in report["findings"] if one["severity"] != "note"]
    return report["steps"], [f"{one['rule']} at line {one['line']}" for one in found]
