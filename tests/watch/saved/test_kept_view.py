"""Weights that are kept as `p.data`, and copied back onto themselves."""

from pathlib import Path

import pytest

from surefoot.watch.saved.kept_view import find_keeping
from tests.rules.twins import watch_program

PROGRAM = """
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 2:
        KEEP
with torch.no_grad():
    for name, param in model.named_parameters():
        param.copy_(kept[name])
"""


def found(keep: str, path: Path, program: str = PROGRAM) -> list[tuple[str, int | None]]:
    findings, _ = watch_program(program.replace("KEEP", keep), path / "program.py")
    return [(f.rule, f.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize("view", ["p.data", "p.detach()"])
def test_views_of_all_parameters_are_told_where_they_are_kept(view: str, tmp_path: Path) -> None:
    keep = f"kept = {{n: {view} for n, p in model.named_parameters()}}"
    assert found(keep, tmp_path) == [("best-weights-aliased", 14)]


def test_a_loop_that_keeps_them_is_told(tmp_path: Path) -> None:
    keep = "kept = {}\n        for n, p in model.named_parameters():\n            kept[n] = p.data"
    assert found(keep, tmp_path) == [("best-weights-aliased", 16)]


@pytest.mark.parametrize(
    "keep",
    [
        "kept = {n: p.data.clone() for n, p in model.named_parameters()}",
        "kept = {n: p.detach() + 0 for n, p in model.named_parameters()}",
    ],
)
def test_copies_are_fine(keep: str, tmp_path: Path) -> None:
    assert found(keep, tmp_path) == []


def test_one_of_several_parameters_may_be_copied_onto_itself(tmp_path: Path) -> None:
    program = PROGRAM.replace("param.copy_(kept[name])", "name == 'bias' and param.copy_(kept[name])")
    assert found("kept = {n: p.data for n, p in model.named_parameters()}", tmp_path, program) == []


def test_only_what_keeps_every_parameter_is_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text("a = [x.data for x in batches]\nb = {}\nfor p in model.parameters():\n    b[0] = p.data.clone()\n")
    assert find_keeping([str(path), str(tmp_path / "missing.py")]) is None
    path = tmp_path / "appended.py"
    path.write_text("a = []\nfor p in model.parameters():\n    a.append(p.data)\n")
    site = find_keeping([str(path)])
    assert site is not None and site.line == 3
