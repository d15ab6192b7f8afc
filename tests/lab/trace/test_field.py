"""What public programs do, and a trace must tell plainly."""

import re
from pathlib import Path

import pytest

from surefoot.cli.main import main
from tests.cli.command import write
from tests.lab.trace.conftest import TraceHere

MODEL_CLEARS = """
import torch
from torch import nn

torch.manual_seed(0)
one, two = nn.Linear(2, 1), nn.Linear(2, 1)
a, b = (torch.optim.SGD(model.parameters(), lr=0.1) for model in (one, two))
x = torch.randn(4, 2)
for _ in range(3):
    one(x).mean().backward()
    a.step()
    two.zero_grad()  # for the step that comes
    two(x).mean().backward()
    b.step()
    one.zero_grad()
"""


def test_a_model_that_clears_for_the_next_step(trace_here: TraceHere) -> None:
    traced = trace_here(MODEL_CLEARS, "--steps", "4")
    kinds = ["forward", "loss", "backward", "step"]
    assert [traced.kinds(step) for step in (1, 2, 3, 4)] == [kinds, *[["clear", *kinds]] * 3]
    alone = MODEL_CLEARS.replace("    two", "    #").replace("    b.step()", "")
    assert trace_here(alone, "--steps", "2").kinds(1) == [*kinds, "clear"]


BY_HAND = """
import torch
from torch import nn
from torch.utils.data import DataLoader

loader = DataLoader(torch.arange(12.0).reshape(12, 1), batch_size=1)
mean = torch.stack([batch for batch in loader]).mean()
model = nn.Linear(1, 1)
for batch in loader:
    model.zero_grad()
    model(batch - mean).square().mean().backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= 0.001 * param.grad
"""


def test_batches_in_a_row_are_one_and_updates_by_hand_no_step(
    stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", str(write(tmp_path / "train.py", BY_HAND))]) == 0
    said = capsys.readouterr().err
    assert "… and 11 more of these in a row" in said
    assert re.search(r"… and \d\d more stages; --full shows them", said)
    assert said.endswith("If it updates its weights by itself, that is no step of an optimizer.\n")
    assert main(["trace", "--full", str(tmp_path / "train.py")]) == 0
    assert "--full" not in capsys.readouterr().err


ANEW = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(8, 2)
y = x.sum(1, keepdim=True)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=4):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    with torch.no_grad():
        for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=8):
            print(nn.functional.l1_loss(model(inputs), targets).item())
"""


def test_loaders_made_anew_count_on_and_other_data_has_its_losses(
    trace_here: TraceHere, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traced = trace_here(ANEW, "--to-end")
    first, second = traced.told["epochs"]
    assert (first["epoch"], second["epoch"]) == (1, 2)
    assert [(e["first_step"], e["last_step"]) for e in (first, second)] == [(1, 2), (3, 4)]
    held_out = [(one["step"], one["kind"], one["loss"]) for e in (first, second) for one in e["held_out"]]
    losses = [float(line) for line in traced.out.splitlines()]
    assert held_out == [(2, "l1", pytest.approx(losses[0])), (4, "l1", pytest.approx(losses[1]))]
    assert main(["trace", "--to-end", str(tmp_path / "train.py")]) == 0
    said = capsys.readouterr().err
    assert re.search(r"^ +2 +3.4 +train.py:14 +2 ", said, re.MULTILINE)
    assert re.search(r"^ +2 +4 +train.py:18 +l1 +1 ", said, re.MULTILINE)
