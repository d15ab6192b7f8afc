"""Run a command for a few steps, in a copy of the working directory, and read what its processes recorded."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from surefoot.check.launcher import QUIET
from surefoot.dashboard.server.child import environment
from surefoot.lab.learn.end_with_parent import end, start
from surefoot.launch.child import keep_plan
from surefoot.launch.hook.surefoot_spawn import HOOK, VARIABLE
from surefoot.launch.program import Program, ProgramError
from surefoot.launch.workspace.workspace import Copy, Workspace
from surefoot.verify.child.plan import RecordingPlan, Variant
from surefoot.verify.recording import SUFFIX, Recording

POLL_SECONDS = 0.05
CLOSE_SECONDS = 10.0  # for processes whose recordings are there, and which do not end by themselves
PYTHON = ("python", "python3")
OWN_RENDEZVOUS = ("--rdzv", "--master", "--nnodes", "--standalone")


class CannotCompareError(Exception):
    """One line: why, and what to do."""


class Runner:
    """`timeout` is in seconds, for each run."""

    def __init__(self, folder: Path, steps: int, timeout: float) -> None:
        self._work = folder
        self._workspace = Workspace(Path.cwd())
        self.steps = steps
        self.timeout = timeout
        self.num_runs = 0
        self.copies: dict[Path, Copy] = {}

    def run(self, command: Sequence[str], preset: str = "") -> list[Recording]:
        """One recording a rank, in their order."""
        _check_script(command)
        return self._launch(command, (self._variant(),), preset)[0]

    def run_perturbed(
        self, command: Sequence[str], perturbations: Sequence[tuple[float, int]]
    ) -> list[list[Recording]]:
        """A run for each pair of unit and seed."""
        variants = tuple(self._variant(unit, seed) for unit, seed in perturbations)
        if _can_fork(launched(command)):
            return self._launch(command, variants)
        return [self._launch(command, (variant,))[0] for variant in variants]

    def _variant(self, unit: float = 0.0, seed: int = 0) -> Variant:
        self.num_runs += 1
        place = self._work / str(self.num_runs)
        place.mkdir()
        copy = self._workspace.copy(place)
        self.copies[place] = copy
        return Variant(place, copy.folder, unit, seed)

    def _launch(self, command: Sequence[str], variants: tuple[Variant, ...], preset: str = "") -> list[list[Recording]]:
        places = [variant.place for variant in variants]
        keep_plan(RecordingPlan(self.steps, variants, preset), places[0])
        status = self._run(command, places)
        found = [_recordings(place) for place in places]
        problem = next(filter(None, (_problem(one, self.steps) for one in found)), "")
        if problem:
            said = (places[0] / "output.txt").read_text(encoding="utf-8", errors="replace").splitlines()
            last = self.copies[places[0]].unmapped(_last_words(said))
            told = f" It ended with status {status}: {last}" if status and last else ""
            raise CannotCompareError(f"`{shown(command)}` {problem}{told}")
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        return found

    def _run(self, words: Sequence[str], places: list[Path]) -> int | None:
        place, copy = places[0], self.copies[places[0]]
        command = [sys.executable if word == sys.executable else copy.path(word) for word in launched(words)]
        temporary = self._work / "tmp"  # where the compiler keeps its files, too, which are not written by Python
        temporary.mkdir(exist_ok=True)
        own = {"TMPDIR": str(temporary), "TORCHINDUCTOR_CACHE_DIR": str(temporary / "inductor")}
        environ = {**environment(), **QUIET, **own, VARIABLE: f":{place}"}
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HOOK, environ["PYTHONPATH"]]))
        if not any(word.startswith(OWN_RENDEZVOUS) for word in command):
            environ["PET_STANDALONE"] = "1"  # torchrun takes a free port: others may be at work on this machine
        with (place / "output.txt").open("wb") as output:
            try:
                process = start(command, copy.folder, environ, output)
            except OSError as error:
                raise CannotCompareError(f"{command[0]!r} can't be run: {error.strerror}.") from None
            deadline = time.monotonic() + self.timeout * len(places)
            try:
                while process.poll() is None and time.monotonic() < deadline:
                    time.sleep(POLL_SECONDS)
                    if all(map(_is_complete, places)):
                        deadline = min(deadline, time.monotonic() + CLOSE_SECONDS)
            finally:
                status = process.poll()
                end(process)
                assert process.stdin is not None
                process.stdin.close()
        if status is None and not all(map(_is_complete, places)):
            limit = f"{self.timeout:g} s (--timeout)"
            raise CannotCompareError(f"`{shown(words)}` did not get through {self.steps} steps in {limit}.")
        return status


def launched(command: Sequence[str]) -> list[str]:
    """`python` and `torchrun` are those of this environment; a script alone is run by Python."""
    first, *rest = command
    if first in PYTHON:
        return [sys.executable, *rest]
    if first == "torchrun":
        return [sys.executable, "-m", "torch.distributed.run", *rest]
    return [sys.executable, first, *rest] if first.endswith(".py") else [first, *rest]


def _check_script(command: Sequence[str]) -> None:
    """Before anything runs: launchers say of a file that is missing only that they failed."""
    at = next((at for at, word in enumerate(command) if word.endswith(".py")), None)
    if at is None or {"-m", "-c"} & set(command[:at]):
        return
    try:
        Program(command[at]).check()
    except ProgramError as error:
        raise CannotCompareError(str(error)) from None


def _can_fork(command: Sequence[str]) -> bool:
    """A launcher of ranks imports torch itself: a fork of it would launch them at the same port."""
    return command[0] == sys.executable and "torch.distributed" not in " ".join(command) and hasattr(os, "fork")


def shown(command: Sequence[str]) -> str:
    return " ".join("python" if word == sys.executable else word for word in command)


def _last_words(said: list[str]) -> str:
    """The exception that ended it, if there is one: libraries add advice below."""
    lines = [re.sub(r"^\[rank\d+\]:\s*", "", line.strip()) for line in said if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)]
    own = [line for line in raised if not line.startswith("torch.distributed.elastic")]  # that says which rank failed
    return next(iter([*own[-1:], *raised[-1:], *lines[-1:]]), "")


def _recordings(place: Path) -> list[Recording]:
    found = [Recording.read(file) for file in sorted(place.glob(f"*{SUFFIX}"))]
    return sorted(found, key=lambda one: one.rank)


def _is_complete(place: Path) -> bool:
    """All ranks have written; which may be before their last step, if they end by themselves."""
    files = list(place.glob(f"*{SUFFIX}"))
    return bool(files) and len(files) >= Recording.read(files[0]).num_ranks


def _problem(found: list[Recording], steps: int) -> str:
    error = next((one.error for one in found if one.error), "")
    if error:
        return f"can't be compared: {error}"
    if not found:
        return "took no optimizer step in a process that could be followed."
    ranks = [one.rank for one in found]
    if ranks != list(range(found[0].num_ranks)):
        return f"should have trained on {found[0].num_ranks} ranks; ranks {', '.join(map(str, ranks))} took steps."
    fewest = min(len(one.steps) for one in found)
    if fewest < steps:
        return f"took {fewest} optimizer step{'s' * (fewest != 1)}, fewer than {steps}. Give --steps {fewest}."
    return ""


@contextmanager
def running(steps: int, timeout: float) -> Iterator[Runner]:
    folder = Path(tempfile.mkdtemp(prefix="surefoot-verify-")).resolve()
    try:
        yield Runner(folder, steps, timeout)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
