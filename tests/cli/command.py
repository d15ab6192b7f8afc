"""Run surefoot and plain Python the way a user does."""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.judge import Finding

STALE = """
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
"""
STALE_LINE = 11
TIMEOUT_SECONDS = 600  # only to end what hangs
CLEAN = STALE.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")


def write(file: Path, code: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(code), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Done:
    status: int
    out: bytes
    err: str


def environment() -> dict[str, str]:
    """Of a user who has switched the environment of this Python on."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}


def python(*args: object, cwd: Path, **env: str) -> Done:
    """Run Python in a folder, in a process of its own. tests/forked/client.py has a faster way for what needs torch."""
    done = subprocess.run(
        [sys.executable, *map(str, args)], cwd=cwd, capture_output=True, timeout=TIMEOUT_SECONDS,
        env=environment() | env,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr.decode())


def surefoot(*args: object, cwd: Path, **env: str) -> Done:
    return python("-m", "surefoot", *args, cwd=cwd, **env)


def findings(report: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(report.read_text())["findings"]
    return found


def make_finding(**fields: Any) -> Finding:
    given: dict[str, Any] = {
        "rule": "stale-gradients", "severity": "error", "message": "2 of 2 step twice", "why": "it adds up",
        "fix": "clear them", "file": None, "line": None, "step": 2, "count": 3,
    } | fields  # fmt: skip
    return Finding(**given)
