"""Experiments in forks of one process of the program, which has torch."""

from dataclasses import replace
from pathlib import Path

import pytest

from surefoot.check.experiment import Experiment
from surefoot.check.launcher import launching
from tests.cli.command import write

TRAINING = """
import os
from pathlib import Path
{before}
import torch
from torch import nn

if Path("marker").exists() or Path.cwd() != Path(__file__).parent:
    raise SystemExit("this is not the folder as it was")
Path("marker").touch()
(Path.cwd().parent / "elsewhere").touch()
torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("before", "num_processes"),
    [
        ("os.environ['KMP_BLOCKTIME'] = '0'", 1),
        ("log = open(__file__)", 2),  # both would read on where the other stopped
        ("Path('made').mkdir()", 2),  # it would be gone
    ],
)
def test_forks_share_what_came_before_torch(before: str, num_processes: int, tmp_path: Path) -> None:
    write(tmp_path / "train.py", TRAINING.format(before=before))
    wanted = Experiment("watch", 4, "train.py", is_shared=True)
    with launching(60.0, tmp_path) as launcher:
        for each in (wanted, replace(wanted, kind="repeat", steps=3)):
            result = launcher.run(each)
            assert (result.ended, result.error) == ("max-steps", "")
            assert len(result.steps) == each.steps
        assert launcher._num == num_processes
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]
