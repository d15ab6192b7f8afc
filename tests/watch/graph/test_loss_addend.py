"""Addends of a loss without a gradient: which of them depend on what is trained."""

from pathlib import Path

import pytest

from surefoot.facts import DeadTermFacts, StepFacts
from tests.watch.record import records_of

PROGRAM = """
import numpy
import torch
import torch.nn.functional as F

torch.manual_seed(0)
model, frozen = torch.nn.Linear(8, 5), torch.nn.Linear(8, 5).requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(12):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    out = model(x)
    main = F.cross_entropy(out, y)
{lines}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def terms(lines: str, file: Path) -> set[DeadTermFacts]:
    code = PROGRAM.format(lines="\n".join(f"    {line}" for line in lines.splitlines()))
    steps = [record for record in records_of(code, file) if isinstance(record, StepFacts)]
    return {term for step in steps for term in step.dead_terms}


FOUND = {
    "no_grad": ("with torch.no_grad():\n    reg = model.weight.pow(2).sum()\nloss = main + 0.01 * reg", 13),
    "numpy": ("reg = torch.tensor(model.weight.abs().sum().item())\nloss = main\nloss += 0.01 * reg", 13),
    "copy": ("reg = torch.tensor(model.weight.tolist()).norm()\nloss = (main + 0.1 * reg) / 2", 13),
    "data": ("loss = F.cross_entropy(out, y) + 0.1 * model.weight.data.norm()", 13),
    "detach": ("aux = F.mse_loss(out.detach(), x[:, :5])\nloss = main + 0.1 * aux", 13),
    "__eq__": ("wrong = 1 - (out.argmax(1) == y).float().mean()\nloss = torch.add(main, wrong)", 13),
}


@pytest.mark.parametrize("kind", FOUND)
def test_the_line_at_which_the_gradient_ends_is_told(kind: str, tmp_path: Path) -> None:
    lines, line = FOUND[kind]
    (term,) = terms(lines, tmp_path / "train.py")
    assert term.site is not None and term.site.line == line + 1
    assert term.cut_by in (kind, "numpy")
    assert len(set(term.values)) > 1


@pytest.mark.parametrize(
    "lines",
    [
        "loss = main + model.weight.norm()",
        "loss = main + model.weight.norm().detach()",  # said so
        "loss = main + F.mse_loss(model(x), x[:, :5]).detach()",  # to be logged
        "loss = main + x.norm() + torch.tensor(2.0) + i",  # of the data, and constants
        "loss = main + F.cross_entropy(frozen(x), y)",
        "with torch.no_grad():\n    base = F.cross_entropy(model(-x), y)\nloss = main - base",
        "with torch.no_grad():\n    m = out[0].max()\nloss = m + (out[0] - m).exp().sum().log() - out[0, y[0]]",
        "with torch.no_grad():\n    reg = model.weight.norm()\nloss = main + 0 * reg",
        "with torch.no_grad():\n    reg = model.weight.norm()\nshown = main + reg\nloss = main",
        "with torch.no_grad():\n    weight = model.weight.norm()\nloss = main * weight + 1.0",
    ],
)
def test_other_addends_are_not_told(lines: str, tmp_path: Path) -> None:
    assert terms(lines, tmp_path / "train.py") == set()


PREDICTIONS = [
    "with torch.no_grad():\n    value = judge(out)\nloss = (out.pow(2).mean(1, keepdim=True) - value).mean()",
    "with torch.no_grad():\n    value = judge(out)\nloss = -(value.squeeze(1) - 0.1 * out.logsumexp(1)).mean()",
    "with torch.no_grad():\n    value = judge(out).mean()\nloss = main - value",
    "with torch.no_grad():\n    seen = judge(out)\nloss = main + F.mse_loss(seen, judge(x[:, :5]).detach())",
]


@pytest.mark.parametrize("lines", PREDICTIONS)
def test_a_prediction_that_goes_through_a_module_without_gradients(lines: str, tmp_path: Path) -> None:
    setup = "judge = judge if i else torch.nn.Linear(5, 1).requires_grad_(False)\n"
    (term,) = terms(setup + lines, tmp_path / "train.py")
    assert term.is_of_prediction and term.cut_by == "no_grad" and len(set(term.values)) == 3


@pytest.mark.parametrize(
    "lines",
    [
        "with torch.no_grad():\n    base = model(x)\nloss = main + (base - out).mean()",  # its input has no gradient
        "with torch.no_grad():\n    w = frozen(x * out.mean())\nloss = (w * out).mean() + 1.0",
        "with torch.no_grad():\n    t = out - frozen(x * out.mean())\nloss = (out - t).pow(2).mean() + 1.0",
        "with torch.no_grad():\n    m = out.amax(1, True)\nloss = main + (out - m).mean()",  # through no module
    ],
)
def test_values_that_are_known_and_weights_are_no_predictions(lines: str, tmp_path: Path) -> None:
    assert terms(lines, tmp_path / "train.py") == set()


def test_losses_of_other_optimizers_come_before_it(tmp_path: Path) -> None:
    lines = "\n".join(
        [
            "judge = judge if i else torch.nn.Linear(5, 1)",
            "other = other if i else torch.optim.Adam(judge.parameters())",
            "other.zero_grad()",
            "F.mse_loss(judge(x[:, :5]), x[:, :1]).backward()",
            "other.step()",
            "with torch.no_grad():",
            "    value = judge(out)",
            "loss = (0.1 * out.logsumexp(1, True) - value).mean()",
        ]
    )
    (term,) = terms(lines, tmp_path / "train.py")
    assert term.is_of_prediction
