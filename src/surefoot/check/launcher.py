"""Start experiments: each in a process and a folder of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from surefoot.check.child import EXPERIMENT, RESULT
from surefoot.check.experiment import Experiment, Result
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
        self.timeout = timeout
        self.seconds = 0.0  # of all experiments so far
        self._num = 0

    def run(self, wanted: Experiment, copy: Copy | None = None) -> Result:
        """`copy`: where an earlier one ran, to go on with the files that it left."""
        begun = time.monotonic()
        copy = copy or self.copy()
        place = copy.place
        (place / RESULT).unlink(missing_ok=True)
        name = wanted.name if wanted.is_module else copy.path(wanted.name)
        args = tuple(map(copy.path, wanted.args))
        inside = replace(wanted, name=name, args=args, seconds=PART * self.timeout)
        (place / EXPERIMENT).write_text(inside.to_json(), encoding="utf-8")
        result = self._run(copy)
        self.seconds += time.monotonic() - begun
        return result

    def copy(self) -> Copy:
        """A new one of the working directory. A script that lies elsewhere runs from there."""
        self._num += 1
        place = self._work / str(self._num)
        place.mkdir()
        return self._workspace.copy(place)

    def _run(self, copy: Copy) -> Result:
        place = copy.place
        command = [sys.executable, "-m", "surefoot.check.child", str(place)]
        with (place / "output.txt").open("wb") as output:
            process = start(command, copy.folder, {**environment(), **QUIET}, output)
            deadline = time.monotonic() + self.timeout
            try:
                while process.poll() is None and time.monotonic() < deadline:
                    time.sleep(POLL_SECONDS)
                    if (place / RESULT).exists():
                        deadline = min(deadline, time.monotonic() + CLOSE_SECONDS)
            finally:
                is_late = process.poll() is None
                end(process)
                assert process.stdin is not None
                process.stdin.close()
        return _read(place, is_late)


def _read(place: Path, is_late: bool) -> Result:
    said = (place / "output.txt").read_text(encoding="utf-8", errors="replace")[-MOST_OUTPUT:]
    is_told = (place / RESULT).exists()
    result = Result.from_file(place / RESULT) if is_told else Result("timeout" if is_late else "died")
    if result.error or result.ended in ("died", "raised"):
        lines = [line for line in said.splitlines() if line.strip()]
        result.error = result.error or (lines[-1].strip() if lines else "")
    return result


@contextmanager
def launching(timeout: float, cwd: Path | None = None) -> Iterator[Launcher]:
    folder = Path(tempfile.mkdtemp(prefix="surefoot-check-")).resolve()
    try:
        yield Launcher(folder, timeout, cwd)
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)
