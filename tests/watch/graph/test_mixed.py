"""Which predictions are found to be computed from other samples."""

from pathlib import Path

import pytest

from surefoot.facts import MixedFacts, StepFacts
from tests.watch.record import records_of

PREAMBLE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
layer, lstm, gru, head = nn.Linear(6, 8), nn.LSTM(8, 8), nn.GRU(8, 8, num_layers=2), nn.Linear(8, 3)
joint = nn.Linear(16, 3)
model = nn.ModuleList([layer, lstm, gru, head, joint])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(12, 5, 6), torch.randint(0, 3, (12,))
wide = torch.randn(12, 5, 1, requires_grad=True)
table, ids = nn.Embedding(20, 8), torch.randint(0, 20, (12, 5))
encoder = nn.TransformerEncoderLayer(8, 2, 16)
def attend(h): return encoder.self_attn(h, h, h, need_weights=False)[0]
"""


def told(scores: str, tmp_path: Path) -> list[MixedFacts]:
    body = f"loss = F.cross_entropy({scores}, y)\nloss.backward()\noptimizer.step()\n"
    records = records_of(PREAMBLE + body, tmp_path / "program.py")
    return [one for r in records if isinstance(r, StepFacts) for one in r.mixed]


@pytest.mark.parametrize(
    ("scores", "cause"),
    [
        ("head(layer(x).view(5, 12, 8).mean(0))", "view"),
        ("head(lstm(layer(x).relu().reshape(5, 12, 8))[0][-1])", "view"),
        ("joint(gru(layer(x).transpose(0, 1))[1].reshape(12, 16))", "view"),
        ("head(lstm(layer(x))[0][:, -1])", "time"),
        ("head(lstm(table(ids))[0].mean(1))", "time"),
        ("head(encoder(layer(x))[:, 0])", "attention"),
        ("head(encoder(table(ids)).mean(1))", "attention"),
        ("head(encoder.eval()(encoder(table(ids))).mean(1))", "attention"),
        ("head((torch.stack([layer(x[:, 0]), layer(x[:, 1])]).softmax(1) * layer(x[:, 2])).sum(0))", "softmax"),
    ],
)
def test_mixed(scores: str, cause: str, tmp_path: Path) -> None:
    (found,) = told(scores, tmp_path)
    assert found.cause == cause
    assert set(found.others) - {found.sample}
    assert found.site is not None and found.site.line == 14


@pytest.mark.parametrize(
    "scores",
    [
        "head(layer(x).transpose(0, 1).mean(0))",
        "head(lstm(layer(x.transpose(0, 1)))[0][-1])",
        "joint(gru(layer(x).transpose(0, 1))[1].transpose(0, 1).reshape(12, 16))",
        "head(layer(x).view(60, 8).relu().view(12, 5, 8).mean(1))",
        "head(layer(x).view(5, 12, 8).relu().view(12, 5, 8).mean(1))",
        "head(layer(x[:, 0]) - layer(x[:, 0]).mean(0))",
        "head(lstm(layer(x))[0].mean(1))",  # each sample may be a moment of several series
        "head(lstm(layer(x[:, :1]))[0][:, 0])",
        "head(encoder(layer(x)).mean(1))",  # as above
        "head(encoder(layer(x).transpose(0, 1))[0])",
        "head(encoder(layer(x[:, :1]))[:, 0])",  # one sequence of samples
        "head(attend(attend(table(ids)).transpose(0, 1))[0])",  # among samples, then among tokens
        "head(encoder(table(ids), src_mask=torch.eye(12).log()).mean(1))",
        "head(encoder(table(ids.t())).mean(0))",
        "head((torch.stack([layer(x[:, 0]), layer(x[:, 1])]).softmax(0) * layer(x[:, 2])).sum(0))",
        "head(layer(x[:, 0]) * layer(x[:, 1]).softmax(0))",  # weights of samples
        "head((layer(x).transpose(0, 1).softmax(0) * layer(x).transpose(0, 1)).sum(0))",
        "F.conv1d(x, wide).view(24, 12, 3).relu().view(12, 12, 6).mean(1)[:, :3]",  # 12 channels are no batch
    ],
)
def test_kept_apart(scores: str, tmp_path: Path) -> None:
    assert told(scores, tmp_path) == []
