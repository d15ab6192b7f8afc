"""Start experiments: each in a process of its own, or in a fork of one, with the folder as the user has it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from surefoot.check.child import EXPERIMENT, RESULT
from surefoot.check.experiment import Experiment, Result
from surefoot.check.sharing import ENDED
from surefoot.dashboard.server.child import environment
from surefoot.lab.learn.end_with_parent import end, start
from surefoot.launch.workspace.workspace import Copy, Workspace

POLL_SECONDS = 0.05
PART = 0.6  # of its time, after which a program is ended with the steps that it has taken
CLOSE_SECONDS = 5.0  # for a program that has ended, and whose threads or exit functions have not
MOST_OUTPUT = 2000  # characters of what it said last, when it failed
QUIET = {"WANDB_MODE": "disabled", "COMET_MODE": "disabled", "SUREFOOT_LOG": "off", "PYTHONDONTWRITEBYTECODE": "1"}


class Launcher:
    """`timeout` is in seconds, for each experiment. `cwd` is where the program would run."""

    def __init__(self, folder: Path, timeout: float, cwd: Path | None = None) -> None:
        self._work = folder
        self._workspace = Workspace(cwd or Path.cwd())
        self._shared: Started | None = None
        self.timeout = timeout
        self._num = 0

    def run(self, wanted: Experiment, copy: Copy | None = None) -> Result:
        """`copy`: where an earlier one ran, to go on with the files that it left."""
        if wanted.is_shared:
            return self._run_shared(wanted)
        started = self._start(wanted, copy or self.copy())
        try:
            return self._result(started)
        finally:
            started.end()

    def copy(self) -> Copy:
        """A new one of the working directory. A script that lies elsewhere runs from there."""
        self._num += 1
        place = self._work / str(self._num)
        place.mkdir()
        return self._workspace.copy(place)

    def close(self) -> None:
        if self._shared is not None:
            self._shared.end()
            self._shared = None

    def _run_shared(self, wanted: Experiment) -> Result:
        """In a fork of the process that made the last one, if that waits for more; in the folder as it was."""
        if self._shared is not None and self._shared.is_waiting:
            copy = self._shared.copy
            for part in (copy.top, copy.outside):
                shutil.rmtree(part)
            self._workspace.copy(copy.place)
            self._order(wanted, copy)
        else:
            self.close()
            self._shared = self._start(wanted, self.copy())
        result = self._result(self._shared)
        if not self._shared.is_waiting:
            self.close()
        return result

    def _start(self, wanted: Experiment, copy: Copy) -> Started:
        self._order(wanted, copy)
        command = [sys.executable, "-m", "surefoot.check.child", str(copy.place)]
        with (copy.place / "output.txt").open("wb") as output:
            return Started(start(command, copy.folder, {**environment(), **QUIET}, output), copy)

    def _order(self, wanted: Experiment, copy: Copy) -> None:
        for file in (RESULT, ENDED):
            (copy.place / file).unlink(missing_ok=True)
        name = wanted.name if wanted.is_module else copy.path(wanted.name)
        args = tuple(map(copy.path, wanted.args))
        inside = replace(wanted, name=name, args=args, seconds=PART * self.timeout)
        unfinished = copy.place / f".{EXPERIMENT}"
        unfinished.write_text(inside.to_json(), encoding="utf-8")
        unfinished.replace(copy.place / EXPERIMENT)

    def _result(self, started: Started) -> Result:
        deadline = time.monotonic() + self.timeout
        is_told = False
        while not started.has_ended and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            if not is_told and (started.copy.place / RESULT).exists():
                is_told, deadline = True, time.monotonic() + CLOSE_SECONDS
        return _read(started.copy.place, is_late=not started.has_ended)


@dataclass(frozen=True)
class Started:
    """A process that makes experiments in one folder."""

    process: subprocess.Popen[bytes]
    copy: Copy

    @property
    def is_waiting(self) -> bool:
        """It has made an experiment, and can make another."""
        return self.process.poll() is None and (self.copy.place / ENDED).exists()

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None or (self.copy.place / ENDED).exists()

    def end(self) -> None:
        end(self.process)
        assert self.process.stdin is not None
        self.process.stdin.close()


def _read(place: Path, is_late: bool) -> Result:
    said = (place / "output.txt").read_text(encoding="utf-8", errors="replace")[-MOST_OUTPUT:]
    is_told = (place / RESULT).exists()
    result = Result.from_file(place / RESULT) if is_told else Result("timeout" if is_late else "died")
    if result.error or result.ended in ("died", "raised"):
        lines = [line for line in said.splitlines() if line.strip()]
        is_plain_exit = result.error.startswith("SystemExit: ")  # as argparse ends a program, which says why before
        result.error = "" if is_plain_exit and lines else result.error
        result.error = result.error or (lines[-1].strip() if lines else "")
    return result


@contextmanager
def launching(timeout: float, cwd: Path | None = None) -> Iterator[Launcher]:
    folder = Path(tempfile.mkdtemp(prefix="surefoot-check-")).resolve()
    try:
        launcher = Launcher(folder, timeout, cwd)
        try:
            yield launcher
        finally:
            launcher.close()
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)
