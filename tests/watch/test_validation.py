"""Losses without gradients are put together by phase, and by loader or line."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from surefoot.facts import ValidationFacts, decode, encode
from surefoot.watch.validation import FIRST_PHASES
from tests.signals.training import Measured, measuring


def told(measured: Measured) -> list[ValidationFacts]:
    return [record for record in measured.records if isinstance(record, ValidationFacts)]


def train(model: nn.Module, optimizer: torch.optim.Optimizer, num_steps: int = 4) -> list[float]:
    losses = []
    for _ in range(num_steps):
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def evaluate(model: nn.Module, batches: DataLoader[tuple[Tensor, ...]] | Sequence[Sequence[Tensor]]) -> float:
    criterion, losses = nn.MSELoss(), []
    with torch.no_grad():
        for (x,) in batches:
            losses.append(criterion(model(x), x[:, :1]).item())
    return sum(losses) / len(losses)


@pytest.fixture
def model() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(4, 1)


def test_means_by_loader(model: nn.Linear) -> None:
    loaders = [DataLoader(TensorDataset(torch.randn(num, 4)), batch_size=8) for num in (32, 16)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    expected, trained = [], []
    with measuring() as measured:
        for _ in range(3):
            trained.append(train(model, optimizer))
            expected += [evaluate(model, loader) for loader in loaders]
        measured.emit_end("finished")
    facts = told(measured)
    assert [f.loss for f in facts] == pytest.approx(expected)
    assert [(f.series, f.phase, f.num_losses, f.index) for f in facts] == [
        (1, 1, 4, 4), (2, 1, 2, 4), (1, 2, 4, 8), (2, 2, 2, 8), (1, 3, 4, 12), (2, 3, 2, 12)
    ]  # fmt: skip
    assert {f.kind for f in facts} == {"mse"} and facts[0].train_kinds == ("mse",)
    assert [f.train_loss for f in facts[2::2]] == pytest.approx([sum(part) / 4 for part in trained[1:]])
    assert facts[0].site is not None and facts[0].site.function == "evaluate"
    assert decode(encode(facts[0])) == facts[0]


def test_means_by_line_where_there_is_no_loader(model: nn.Linear) -> None:
    one, other = [[torch.randn(16, 4)]] * 2, [[torch.randn(8, 4)]]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    expected = []
    with measuring() as measured:
        for _ in range(2):
            train(model, optimizer)
            expected.append(evaluate(model, one))
            expected.append(evaluate(model, other))
        measured.emit_end("finished")
    assert [f.loss for f in told(measured)] == pytest.approx(expected)
    assert [f.series for f in told(measured)] == [1, 2, 1, 2]


def test_phases_of_a_long_loop(model: nn.Linear) -> None:
    x = torch.randn(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    expected = []
    with measuring(overhead=0.02) as measured:
        for _ in range(6):
            train(model, optimizer, 50)
            expected.append(evaluate(model, [[x]]))
        measured.emit_end("finished")
    assert [f.loss for f in told(measured)] == pytest.approx(expected)
    assert [f.index for f in told(measured)] == [50, 100, 150, 200, 250, 300]


def test_many_phases_are_told_together(model: nn.Linear) -> None:
    x = torch.randn(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    expected = []
    num_phases = 2 * FIRST_PHASES
    with measuring(overhead=0.0) as measured:
        for _ in range(num_phases):
            train(model, optimizer, 1)
            expected.append(evaluate(model, [[x]]))
        measured.emit_end("finished")
    facts = told(measured)
    assert len(facts) == FIRST_PHASES + (num_phases - FIRST_PHASES) // 2
    assert [f.loss for f in facts[:FIRST_PHASES]] == pytest.approx(expected[:FIRST_PHASES])
    pairs = zip(expected[FIRST_PHASES::2], expected[FIRST_PHASES + 1 :: 2], strict=True)
    assert [f.loss for f in facts[FIRST_PHASES:]] == pytest.approx([(a + b) / 2 for a, b in pairs])


def test_what_has_no_value_is_left_alone(model: nn.Linear) -> None:
    x = torch.randn(5, 8, 4)
    with measuring() as measured, torch.no_grad():
        torch.vmap(lambda batch: F.mse_loss(model(batch), batch[:, :1]))(x)
        F.mse_loss(torch.ones(2, device="meta"), torch.ones(2, device="meta"))
        F.mse_loss(x, x, reduction="none")
        with torch.inference_mode():
            F.mse_loss(x, x + 1)
        measured.emit_end("finished")
    assert [f.loss for f in told(measured)] == [1.0]


def test_training_losses_are_not_heard(model: nn.Linear) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with measuring() as measured:
        train(model, optimizer)
        F.mse_loss(torch.ones(2), torch.zeros(2))  # outside of no_grad: nothing says that it is no part of training
        measured.emit_end("finished")
    assert not told(measured)
