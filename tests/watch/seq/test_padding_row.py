"""Which padding rows are found to be overwritten, by small real programs."""

from pathlib import Path

import pytest

from surefoot.facts import PaddingRowFacts, StepFacts
from tests.watch.record import records_of

PREAMBLE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
embedding, head = nn.Embedding(9, 8, padding_idx=2), nn.Linear(8, 3)
model = nn.ModuleList([embedding, head])
ids = torch.tensor([[1, 3, 2], [4, 2, 2]])
"""
TRAIN = """
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss = F.cross_entropy({}, torch.tensor([0, 1]))
loss.backward()
optimizer.step()
"""
SUM = "head(embedding(ids).sum(1))"


def told(init: str, tmp_path: Path, scores: str = SUM) -> list[PaddingRowFacts]:
    records = records_of(PREAMBLE + init + TRAIN.format(scores), tmp_path / "program.py")
    return [one for r in records if isinstance(r, StepFacts) for one in r.padding_rows]


@pytest.mark.parametrize(
    "init",
    [
        "nn.init.normal_(embedding.weight)",
        "nn.init.uniform_(embedding.weight.data, -0.1, 0.1)",
        "for p in model.parameters(): nn.init.xavier_uniform_(p) if p.dim() > 1 else nn.init.zeros_(p)",
        "model.apply(lambda m: nn.init.kaiming_normal_(m.weight) if hasattr(m, 'weight') else None)",
        "model.apply(lambda m: m.weight.data.normal_(std=0.02) if hasattr(m, 'weight') else None)",
    ],
)
def test_overwritten(init: str, tmp_path: Path) -> None:
    (found,) = told(init, tmp_path)
    assert found.name.endswith("weight") and found.padding_idx == 2
    assert found.norm > 0
    assert found.site is not None and found.site.line == 8


@pytest.mark.parametrize(
    "init",
    [
        "pass",
        "nn.init.normal_(embedding.weight); embedding.weight.data[2] = 0",
        "nn.init.normal_(embedding.weight); embedding.weight.data.copy_(torch.randn(9, 8))",
        "nn.init.normal_(head.weight)",
        "model.apply(lambda m: m.weight.data.normal_() if isinstance(m, nn.Linear) else None)",
        "embedding.weight.data.normal_(); model.apply(lambda m: m.float())",
        "model.apply(lambda m: m.reset_parameters() if hasattr(m, 'reset_parameters') else None)",
    ],
)
def test_left_alone(init: str, tmp_path: Path) -> None:
    assert told(init, tmp_path) == []


def test_padding_without_influence(tmp_path: Path) -> None:
    scores = "head((embedding(ids) * (ids != 2)[..., None]).sum(1))"
    assert told("nn.init.normal_(embedding.weight)", tmp_path, scores) == []


def test_padding_that_comes_later(tmp_path: Path) -> None:
    train = TRAIN.format(SUM)
    init = "nn.init.normal_(embedding.weight)\nids, padded = ids.clamp(min=3), ids\n"
    records = records_of(PREAMBLE + init + train + "ids = padded\n" + train, tmp_path / "program.py")
    steps = [r for r in records if isinstance(r, StepFacts)]
    assert [len(step.padding_rows) for step in steps] == [0, 1]
