"""Two equal runs are told alike, also if one of them had to share the machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import surefoot as sf
from tests.cli.command import findings, write
from tests.forked.client import surefoot

STEPS = 400
PROGRAM = f"""
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for step in range({STEPS}):
    x = torch.randn(16, 4)
    if step < 150 or step >= 250:  # in between gradients pile up
        optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""
NUM_BUSY = os.cpu_count() or 1


@contextmanager
def busy_cores() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(NUM_BUSY)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


TIMED = ("time", "seconds", "memory", "per_second")  # names of what two runs never share


def run(folder: Path) -> tuple[Any, Any, Any]:
    """Findings with counts, all losses, and the sampled steps and values of each signal."""
    write(folder / "train.py", PROGRAM)
    args = ("run", "--log", "runs", "--report", "report.json", "--fail-on", "never", "train.py")
    done = surefoot(*args, cwd=folder, SUREFOOT_LOG="")
    assert done.status == 0, done.err
    found = [(f["rule"], f["step"], f["count"], f["message"]) for f in findings(folder / "report.json")]
    opened = sf.open(folder / "runs")["latest"]
    series: dict[str, list[tuple[int, float]]] = {}
    for name, step, value in opened.sql("SELECT name, step, value FROM scalars ORDER BY name, step"):
        if not any(word in name for word in TIMED):
            series.setdefault(name, []).append((step, value))
    losses = series.pop("loss")
    return found, losses, series


def test_a_busy_machine_changes_nothing_that_is_told(tmp_path: Path) -> None:
    quiet, busy = tmp_path / "quiet", tmp_path / "busy"
    alone = run(quiet)
    with busy_cores():
        beside = run(busy)
    assert alone[0], "the program has a bug"
    assert alone[0] == beside[0]
    assert [step for step, _ in alone[1]] == list(range(1, STEPS + 1))
    assert alone[1] == beside[1]
    assert alone[2].keys() == beside[2].keys()
    assert alone[2], "signals are sampled"
    assert alone[2] == beside[2]
