"""Killed for real, at random moments, over and over: a resumed run ends with the very weights of an undisturbed one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def settings(
    accumulate: int, workers: int, precision: str, checkpoint_every: int | None, at_least: int, *, is_open: bool = False
) -> dict[str, Any]:
    """Of one run of `killing.py`. Without `checkpoint_every` it gets SIGTERM instead of SIGKILL."""
    return {
        "accumulate": accumulate, "workers": workers, "precision": precision, "checkpoint_every": checkpoint_every,
        "at_least": at_least, "seed": 10 * accumulate + workers, "is_open": is_open,
    }  # fmt: skip


KILLED = {
    "plain": settings(1, 0, "fp32", 1, at_least=8),
    "accumulating in bf16": settings(3, 0, "bf16", 2, at_least=8),
    "accumulating with workers": settings(3, 2, "fp32", 1, at_least=8),
    "bf16 with workers": settings(1, 2, "bf16", 3, at_least=8),
    "with all that a loop can be given": settings(2, 0, "fp32", 1, at_least=8, is_open=True),
}
TERMINATED = {
    "terminated": settings(1, 0, "fp32", None, at_least=3),
    "terminated inside windows": settings(3, 2, "fp32", None, at_least=3),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int | str]:
    """How often each run was interrupted, or what went wrong; all in one process, which imports torch once."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-m", "tests.loop.killing", json.dumps(KILLED | TERMINATED), str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (folder / "log").open("w") as log:  # not a pipe: an orphaned worker would hold it open
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    assert done.returncode == 0, (folder / "log").read_text()
    found: dict[str, int | str] = json.loads(done.stdout)
    return {
        name: f"{said}\n{(folder / 'log').read_text()}" if isinstance(said, str) else said
        for name, said in found.items()
    }


@pytest.mark.parametrize("name", KILLED)
def test_killed_at_random_moments(outcomes: dict[str, int | str], name: str) -> None:
    number = outcomes[name]
    assert isinstance(number, int), number
    assert number >= 8


@pytest.mark.parametrize("name", TERMINATED)
def test_sigterm_saves_first(outcomes: dict[str, int | str], name: str) -> None:
    number = outcomes[name]
    assert isinstance(number, int), number
    assert number >= 3
