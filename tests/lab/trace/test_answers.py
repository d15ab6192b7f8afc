"""Right answers of classifiers, epoch by epoch, against those that the program counts itself."""

import json
from typing import Any

import pytest

from tests.lab.trace.conftest import TraceHere

DIGITS = """
import json, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(60, 4)
y = (x @ torch.randn(4, 3)).argmax(1)
train = DataLoader(TensorDataset(x[:40], y[:40]), batch_size=16, shuffle=True)
test = DataLoader(TensorDataset(x[40:], y[40:]), batch_size=8)
model, loss_fn = nn.Linear(4, 3), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
counted = []
for epoch in range(3):
    right = 0
    for inputs, targets in train:
        outputs = model(inputs)
        right += (outputs.argmax(1) == targets).sum().item()
        loss = loss_fn(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    held = 0
    with torch.no_grad():
        for inputs, targets in test:
            outputs = model(inputs)
            loss_fn(outputs, targets)
            held += (outputs.argmax(1) == targets).sum().item()
    counted.append([right / 40, held / 20])
print(json.dumps(counted))
"""


def _accuracies(told: dict[str, Any]) -> list[list[tuple[int, float, int | None]]]:
    return [[(one["num"], one["share"], one["step"]) for one in epoch["accuracies"]] for epoch in told["epochs"]]


def test_they_are_those_that_the_program_counts(trace_here: TraceHere) -> None:
    traced = trace_here(DIGITS, "--to-end", "--steps", "1")
    counted = json.loads(traced.out.splitlines()[-1])
    assert _accuracies(traced.told) == [
        [(40, own, None), (20, held, 3 * (i + 1))] for i, (own, held) in enumerate(counted)
    ]
    lines = [one["site"]["line"] for one in traced.told["epochs"][0]["accuracies"]]
    assert [DIGITS.splitlines()[line - 1].strip() for line in lines] == [
        "loss = loss_fn(outputs, targets)",
        "loss_fn(outputs, targets)",
    ]


@pytest.mark.parametrize(
    ("loss", "num", "share"),
    [
        ("F.cross_entropy(z, torch.tensor([0, 1, -100, 1]))", 3, 2 / 3),  # an ignored target is no answer
        ("F.cross_entropy(z, torch.tensor([0, 1, 7, 1]) % 8, None, None, 7)", 3, 2 / 3),
        ("F.nll_loss(z.log_softmax(1), torch.tensor([0, 1, 1, 0]))", 4, 1.0),
        ("F.cross_entropy(z, torch.eye(2)[[0, 1, 1, 1]])", 4, 0.75),  # probabilities
        ("F.binary_cross_entropy_with_logits(z[:, 1] - z[:, 0], torch.tensor([0., 1., 1., 1.]))", 4, 0.75),
        ("F.binary_cross_entropy((z[:, 1] - z[:, 0]).sigmoid(), torch.tensor([0., 1., 1., 0.]))", 4, 1.0),
        ("F.cross_entropy(z.T[None], torch.tensor([[0, 1, 1, 1]]))", 4, 0.75),  # classes before other dimensions
    ],
)
def test_every_loss_of_a_classifier_counts(trace_here: TraceHere, loss: str, num: int, share: float) -> None:
    """Without loaders the one step is the one part."""
    traced = trace_here(
        f"""
        import torch
        import torch.nn.functional as F

        weight = torch.nn.Parameter(torch.tensor([[2.0, 0.0], [0.0, 2.0], [0.0, 1.0], [1.0, 0.0]]))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        z = weight * 1.0
        loss = {loss}
        loss.backward()
        optimizer.step()
        """,
        "--to-end",
    )
    assert _accuracies(traced.told) == [[(num, pytest.approx(share), None)]]


def test_a_loss_that_is_no_classifiers_has_none(trace_here: TraceHere) -> None:
    traced = trace_here(
        """
        import torch

        weight = torch.nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        torch.nn.functional.mse_loss(weight * 2, torch.zeros(3)).backward()
        optimizer.step()
        """,
        "--to-end",
    )
    assert _accuracies(traced.told) == [[]]


def test_a_loss_that_is_scripted_is_torchs_own(trace_here: TraceHere) -> None:
    traced = trace_here(
        """
        import warnings
        import torch

        warnings.simplefilter("ignore")

        def loss_of(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(outputs, targets)

        compiled = torch.jit.script(loss_of)
        weight = torch.nn.Parameter(torch.eye(3))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        compiled(weight * 2, torch.tensor([0, 1, 2])).backward()
        optimizer.step()
        """,
        "--to-end",
    )
    assert traced.status == 0 and len(traced.told["epochs"]) == 1
