"""How a process of a run that is compared is followed: it begins when the process has imported torch."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.check.seeds import seed_all
from surefoot.launch.workspace.redirect import Redirect
from surefoot.launch.workspace.workspace import OUTSIDE
from surefoot.runlog.write.current import decide

VARIANT = "SUREFOOT_VERIFY_VARIANT"  # in the environment of a fork, and of what it starts


@dataclass(frozen=True)
class Variant:
    """One run. `place` has the copy in whose `folder` the program runs."""

    place: Path
    folder: Path
    unit: float = 0.0  # of the perturbation; 0 for none
    seed: int = 0  # of the perturbation


@dataclass(frozen=True)
class RecordingPlan:
    """Plain values; pickled for all processes of a run."""

    steps: int
    variants: tuple[Variant, ...]
    preset: str = ""

    def begin(self, folder: Path, argv: Sequence[str], outer_rank: str) -> RecordingChild:
        if VARIANT not in os.environ:
            os.environ[VARIANT] = str(self._fork())
        return RecordingChild(self, self.variants[int(os.environ[VARIANT])])

    def _fork(self) -> int:
        """What takes most of the time is imported once for all variants, which run one after another."""
        if len(self.variants) > 1:
            importlib.import_module("torch._dynamo")  # the first optimizer of a process imports it
            importlib.import_module("surefoot.verify.child.recorder")
        sys.stdout.flush()
        for number, variant in list(enumerate(self.variants))[1:]:
            pid = os.fork()
            if not pid:
                os.chdir(variant.folder)
                return number
            os.waitpid(pid, 0)
        return 0


class RecordingChild:
    _inherited: Any = None  # what a fork has from its parent

    def __init__(self, plan: RecordingPlan, variant: Variant) -> None:
        from surefoot.verify.child.dropout import switch_off, switch_off_plainly
        from surefoot.verify.child.perturb import Perturbation
        from surefoot.verify.child.preset import apply
        from surefoot.verify.child.recorder import StepRecorder
        from surefoot.verify.recording import Recording

        self.pid = os.getpid()
        self._file = variant.place / f"{self.pid}-{time.monotonic_ns()}"
        is_fork = RecordingChild._inherited is not None
        if is_fork:
            RecordingChild._inherited.tap.remove()
        else:
            decide(None)  # nothing of it is logged
            Redirect(str(variant.place.parent), str(variant.place / OUTSIDE)).install_with_torch()
            rank = os.environ.get("RANK", "0")
            seed_all(int(rank) if rank.isdecimal() else 0)
        self._recorder = RecordingChild._inherited = StepRecorder(plan.steps, Recording(), self._write)
        is_compiled = plan.preset == "compile"
        self._recorder.install(hears_modules=not is_compiled)
        if is_compiled:
            switch_off_plainly()
        else:
            switch_off(self._recorder.tap, self._recorder.mask_drawn)
        apply(plan.preset, self._recorder)
        if variant.unit and not is_fork:
            Perturbation(variant.unit, variant.seed).install()
        atexit.register(self.finish)

    def finish(self, status: int | None = None) -> None:
        """For programs that end by themselves before the last step."""
        if os.getpid() == self.pid:
            self._write()

    def hand_over(self) -> None:
        self._write()

    def _write(self) -> None:
        recording = self._recorder.recording
        if recording.steps or recording.error:
            recording.rank, recording.num_ranks = _place()
            recording.write(self._file)


def _place() -> tuple[int, int]:
    """Rank and number of ranks; of the process group, or as the launcher tells them."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        _place.known = dist.get_rank(), dist.get_world_size()  # type: ignore[attr-defined]
    message = os.environ.get("RANK", "0"), os.environ.get("WORLD_SIZE", "1")
    known: tuple[int, int] = getattr(_place, "known", (int(message[0]), int(message[1])))
    return known
