"""Two runs that should have been equal: the first step and the first operation that differ."""

import json
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import surefoot as sf
from surefoot.check.bisect import Parting, Rerun, bisect
from surefoot.cli import bisecting
from surefoot.cli.bisecting import _rerun, _text
from surefoot.cli.main import main
from surefoot.cli.usage import UsageError
from surefoot.launch.program import Program

TRAINING = """
import sys
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(8, 4)
    if step == 2 and "--other" in sys.argv:
        torch.manual_seed(7)
    loss = (model(x) - torch.randn(8, 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_the_first_operation_that_differs_is_found(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    one, other = (Rerun("A", Program("train.py", args), tmp_path) for args in ((), ("--other",)))
    told: list[str] = []
    divergence = bisect(one, other, 4, 120.0, told.append)
    assert (divergence.step, divergence.what) == (3, "update")
    assert divergence.operations is not None
    assert divergence.operations[0] == divergence.operations[1] == ("", "aten.randn.default", "train.py:12")
    assert divergence.losses[0] != divergence.losses[1]
    assert len(told) == 2
    assert not [file for file in tmp_path.iterdir() if file.name != "train.py"]


def test_where_runs_part_is_kept_as_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    divergence = Parting(4, 3, "update", (1.0, 2.0), None)
    monkeypatch.setattr(bisecting, "bisect", lambda *given: divergence)
    monkeypatch.chdir(tmp_path)
    one = stored(["python", "train.py"], script="train.py")
    bisecting.report_divergence(one, one, 3, Namespace(log=tmp_path / "kept", timeout=1.0))
    (run,) = sf.open("kept")
    assert f"saved as kept/{run.name}; `surefoot dash kept` shows it." in capsys.readouterr().err
    assert main(["show", "latest", "--log", "kept"]) == 0
    assert "result: compare: The reruns differ from step 3 on, first in the update" in capsys.readouterr().out


def stored(command: list[str], **meta: str) -> Any:
    return SimpleNamespace(name="A", meta={"command": json.dumps(command), "cwd": str(Path.cwd()), **meta})


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (["python", "train.py", "--lr", "1"], Program("train.py", ("--lr", "1"))),
        (["python", "-X", "dev", "-u", "-m", "package.train", "5"], Program("package.train", ("5",), True)),
        (["python", "-m", "surefoot", "run", "--log", "x", "train.py", "-v"], Program("train.py", ("-v",))),
        (["python", "/bin/surefoot", "run", "-m", "package.train"], Program("package.train", (), True)),
    ],
)
def test_commands_of_runs_are_repeated(command: list[str], program: Program) -> None:
    assert _rerun(stored(command)).program == program


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (stored(["python", "train.py", "--token", "…"]), "without its secrets"),
        (stored(["python", "-c", "pass"]), "not started as a script"),
        (stored(["python", "train.py"], num_ranks="2"), "has 2 ranks"),
        (stored(["python", "train.py"], cwd="/nowhere"), "no longer exists"),
    ],
)
def test_what_cannot_be_repeated_is_said(run: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        _rerun(run)


def test_what_was_found_is_told() -> None:
    add, multiply = ("net", "aten.add", "a.py:3"), ("", "aten.mul", "a.py:4")
    same = Parting(9, 3, "update", (1.0, 2.0), (add, add))
    assert "First operation with a different result: aten.add in net, called from a.py:3" in _text(same, 3)
    assert "B computes aten.mul, outside of modules" in _text(Parting(9, 3, "update", (1.0, 2.0), (add, multiply)), 3)
    assert "comes and goes" in _text(Parting(9, 3, "loss", (1.0, 2.0)), 3)
    assert "agree in all 9 steps" in _text(Parting(9), 3)
