"""`sf.verify`: compare two trainings that are given as functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot.verify.runner import running
from surefoot.verify.text import text
from surefoot.verify.verdict import Verdict, plain
from surefoot.verify.verifier import verify as verify_commands

DRIVE = "from surefoot.verify.drive import main; main()"  # no module of ours: these are not followed


class Verified:
    """What was found out; `str()` is what `surefoot verify` prints."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    @property
    def ok(self) -> bool:
        return self.verdict.agrees

    @property
    def likely(self) -> str:
        return self.verdict.likely

    def as_dict(self) -> dict[str, Any]:
        return plain(self.verdict)

    def __str__(self) -> str:
        return text(self.verdict)


def verify(
    make_a: Callable[[], Any], make_b: Callable[[], Any], *, steps: int = 3, num_ranks: int = 1, timeout: float = 300.0
) -> Verified:
    """Compare two trainings that should compute the same; `make_a` is the reference.

    Each takes nothing, and either trains for at least `steps` optimizer steps, or returns (loop, loader, loss_fn) as
    for `sf.check`. They are functions at the top of a module, or of a script that trains only under
    `if __name__ == "__main__"`: each runs in processes of its own, `make_b` on `num_ranks` ranks under torchrun.
    """
    if steps < 1 or num_ranks < 1:
        raise ValueError(f"steps and num_ranks must be at least 1, got {steps} and {num_ranks}.")
    words = ["-c", DRIVE]
    reference = [sys.executable, *words, _target(make_a, "make_a")]
    other = [sys.executable, *words, _target(make_b, "make_b")]
    if num_ranks > 1:
        other = ["torchrun", "--nproc-per-node", str(num_ranks), "--no-python", *other]
    with running(steps, timeout) as runner:
        return Verified(verify_commands(runner, reference, other))


def _target(make: Callable[[], Any], what: str) -> str:
    """FILE:NAME, by which another process finds it."""
    name = getattr(make, "__qualname__", "")
    file = inspect.getsourcefile(make) if inspect.isfunction(make) else None
    if file is None or "<" in name or not Path(file).is_file():
        got = name or type(make).__name__
        raise TypeError(f"{what} must be a function at the top of a module or script, got {got}. Move it there.")
    return f"{Path(file).absolute()}:{name}"
