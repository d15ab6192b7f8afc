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

from surefoot.check.child import COPY, EXPERIMENT, OUTSIDE, RESULT
from surefoot.check.experiment import Experiment, Result
from surefoot.check.sandbox import copy_folder
from surefoot.dashboard.server.child import environment
from surefoot.lab.learn.tether import end, start

POLL_SECONDS = 0.05
PART = 0.6  # of its time, after which a program is ended with the steps that it has taken
CLOSE_SECONDS = 5.0  # for a program that has ended, and whose threads or exit functions have not
MOST_OUTPUT = 2000  # characters of what it said last, when it failed
QUIET = {"WANDB_MODE": "disabled", "COMET_MODE": "disabled", "SUREFOOT_LOG": "off", "PYTHONDONTWRITEBYTECODE": "1"}


class Launcher:
    """`timeout` is in seconds, for each experiment. `cwd` is where the program would run."""

    def __init__(self, folder: Path, timeout: float, cwd: Path | None = None) -> None:
        self._work = folder
        self._cwd = (cwd or Path.cwd()).resolve()
        self.timeout = timeout
        self.seconds = 0.0  # of all experiments so far
        self._num = 0

    def run(self, wanted: Experiment, folder: Path | None = None) -> Result:
        """`folder`: where an earlier one ran, to go on with the files that it left."""
        begun = time.monotonic()
        place = folder or self.place()
        (place / RESULT).unlink(missing_ok=True)
        inside = replace(wanted, name=self._inside(wanted, place), seconds=PART * self.timeout)
        (place / EXPERIMENT).write_text(inside.to_json(), encoding="utf-8")
        result = self._run(place)
        self.seconds += time.monotonic() - begun
        return result

    def place(self) -> Path:
        """A new folder with a copy of the working directory."""
        self._num += 1
        place = self._work / str(self._num)
        place.mkdir()
        (place / OUTSIDE).mkdir()
        copy_folder(self._cwd, place / COPY)
        return place

    def _inside(self, wanted: Experiment, place: Path) -> str:
        """The script where it was copied to; one that lies elsewhere runs from there."""
        script = (self._cwd / wanted.name).resolve() if not wanted.is_module else None
        if script is None or not script.is_relative_to(self._cwd):
            return wanted.name if script is None else str(script)
        is_relative = not Path(wanted.name).is_absolute()
        return wanted.name if is_relative else str(place / COPY / script.relative_to(self._cwd))

    def _run(self, place: Path) -> Result:
        command = [sys.executable, "-m", "surefoot.check.child", str(place)]
        with (place / "output.txt").open("wb") as output:
            process = start(command, place / COPY, {**environment(), **QUIET}, output)
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
    folder = Path(tempfile.mkdtemp(prefix="surefoot-check-"))
    try:
        yield Launcher(folder, timeout, cwd)
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)
