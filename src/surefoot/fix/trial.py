"""Trial runs: the program, or a patched copy of it, under the sanitizer in a process of its own."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.fix.trial_server import TrialServer
from surefoot.judge import Finding
from surefoot.launch.program import Program
from surefoot.launch.workspace.workspace import Copy, Workspace
from surefoot.runlog.read.run import load_run

SLOWER = 5  # times the first run, after which a trial is given up
GRACE_SECONDS = 60.0
_LOSS = re.compile(r"(optimizer-\d+/)?loss$")  # as the sanitizer logs it


@frozen
class Trial:
    """What one run showed. Files of findings are the user's own, their lines those of the text that was run."""

    status: int
    steps: int
    findings: tuple[Finding, ...]
    losses: tuple[float, ...]  # of every step
    stderr: str
    seconds: float

    @property
    def final_loss(self) -> float | None:
        """The mean over the last tenth of the steps."""
        tail = self.losses[-max(1, len(self.losses) // 10) :]
        return sum(tail) / len(tail) if tail else None

    @property
    def last_words(self) -> str:
        return (self.stderr.strip().splitlines() or [f"exit status {self.status}"])[-1]


class Trials:
    """Runs one program again and again."""

    def __init__(
        self,
        program: Program,
        rules: Sequence[str],
        server: TrialServer,
        *,
        max_steps: int | None = None,
        thorough: bool = False,
    ) -> None:
        self._program = program
        self._rules = list(rules)
        self._max_steps = max_steps
        self._thorough = thorough
        self.workspace = Workspace.of(program)
        self._limit: float | None = None
        self._server = server

    def run(self, sources: Mapping[Path, str]) -> Trial:
        """With these files changed. The first run decides how long later ones may take."""
        with tempfile.TemporaryDirectory(prefix="surefoot-fix-", ignore_cleanup_errors=True) as place:
            copy = self.workspace.copy(Path(place), sources)
            began = time.monotonic()
            try:
                status = self._server.run(self._job(copy), self._limit)
            except BaseException:  # as Ctrl-C: what still runs would write into the folder while it is removed
                self._server.close()
                raise
            seconds = time.monotonic() - began
            self._limit = self._limit or SLOWER * seconds + GRACE_SECONDS
            return _read(copy, status, seconds)

    def _job(self, copy: Copy) -> dict[str, Any]:
        notes = copy.place
        environ = dict(os.environ)
        if "PYTHONPATH" in environ:
            environ["PYTHONPATH"] = os.pathsep.join(map(copy.path, environ["PYTHONPATH"].split(os.pathsep)))
        name = self._program.name
        return {
            "name": name if self._program.is_module else copy.path(name),
            "args": [copy.path(arg) for arg in self._program.args],
            "is_module": self._program.is_module,
            "rules": self._rules,
            "max_steps": self._max_steps,
            "thorough": self._thorough,
            "folder": str(copy.folder),
            "own": str(copy.place),
            "outside": str(copy.outside),
            "environ": environ,
            "path": [copy.path(entry) for entry in sys.path],
            "report": str(notes / "report.json"),
            "log": str(notes / "run"),
            "stdout": str(notes / "stdout"),
            "stderr": str(notes / "stderr"),
        }


def _read(copy: Copy, status: int | None, seconds: float) -> Trial:
    notes = copy.place
    stderr = (notes / "stderr").read_text(errors="replace") if (notes / "stderr").exists() else ""
    if status is None:
        return Trial(1, 0, (), (), f"it had not ended after {seconds:.0f} s", seconds)
    report: dict[str, Any] = {"steps": 0, "findings": []}
    if (notes / "report.json").exists():
        report = json.loads(copy.unmapped((notes / "report.json").read_text(encoding="utf-8")))
    findings = tuple(Finding(**finding) for finding in report["findings"])
    return Trial(status, report["steps"], findings, _losses(notes / "run"), copy.unmapped(stderr), seconds)


def _losses(folder: Path) -> tuple[float, ...]:
    """Those of the first optimizer, and of each that was made anew when the one before it had taken its last step."""
    if not folder.is_dir():
        return ()
    found = load_run(folder).first.columns(lambda series: series.kind == "scalar" and bool(_LOSS.match(series.name)))
    columns = sorted((column for column in found.values() if len(column)), key=lambda column: column.steps[0])
    values: list[float] = []
    last_step = -1
    for column in columns:
        if column.steps[0] > last_step:
            values += [float(value) for value in column.values]
            last_step = column.steps[-1]
    return tuple(values)
