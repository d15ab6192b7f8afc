"""Losses over ranks are those of one large batch; what can't be resumed is refused on all of them."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tests.loop.parallel import loss_cases
from tests.loop.parallel.processes import Team
from tests.loop.training import Batch, make_batches, make_model

WAYS = ["ddp", "fsdp"]


def one_batch(parts: list[list[Batch]]) -> tuple[Tensor, Tensor]:
    batches = [batch for part in parts for batch in part]
    return torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches])


def after_descent(losses: list[Tensor], model: torch.nn.Module) -> list[list[float]]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    torch.stack(losses).sum().backward()
    optimizer.step()
    return [p.detach().flatten().tolist() for p in model.parameters()]


def assert_near(found: list[list[float]], expected: list[list[float]]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert a == pytest.approx(b, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("way", "name"),
    # Outside of forwards the parameters of fsdp are sharded: a penalty of them does not go with a loss.
    [(way, name) for way in WAYS for name in loss_cases.LOSSES if (way, name) != ("fsdp", "penalised")],
)
def test_losses_written_out(pair: Team, way: str, name: str) -> None:
    model = make_model(dtype=torch.float64)
    expected = after_descent([loss_cases.LOSSES[name](model, *one_batch(loss_cases.parts()))], model)
    for found in pair.call(loss_cases.trained, way, name):
        assert_near(found, expected)


@pytest.mark.parametrize("way", WAYS)
def test_two_backwards_are_each_divided_by_their_own_items(pair: Team, way: str) -> None:
    model = make_model(dtype=torch.float64)
    x, y = one_batch(loss_cases.full_parts())
    losses = [F.cross_entropy(model(x), y, ignore_index=1), model(x).pow(2).mean()]
    value = sum(loss.item() for loss in losses)
    expected = after_descent(losses, model)
    for found, loss in pair.call(loss_cases.trained_by_two_backwards, way):
        assert_near(found, expected)
        assert loss == pytest.approx(value, rel=1e-10)


def test_terms_whose_counts_differ_between_ranks_are_refused(pair: Team) -> None:
    for said in pair.call(loss_cases.different_ratio, "ddp"):
        assert "whose ratio differs between ranks" in said


def test_means_that_are_multiplied_by_their_number_are_refused(pair: Team) -> None:
    for said in pair.call(loss_cases.times_the_items, "ddp"):
        assert "which makes it a sum" in said


@pytest.mark.parametrize("way", WAYS)
def test_groups_that_are_added_later_are_summed_over_ranks(pair: Team, way: str) -> None:
    model = make_model(dtype=torch.float64)
    parts = [make_batches([4, 4], dtype=torch.float64, seed=seed) for seed in range(2)]
    for i, params in enumerate((list(model[3].parameters()), list(model.parameters()))):
        x, y = (torch.cat([part[i][k] for part in parts]) for k in range(2))
        gradients = torch.autograd.grad(F.cross_entropy(model(x), y), params)
        with torch.no_grad():
            for p, gradient in zip(params, gradients, strict=True):
                p -= 0.5 * gradient
    expected = [p.detach().flatten().tolist() for p in model.parameters()]
    for found in pair.call(loss_cases.trained_with_a_group_added, way):
        assert_near(found, expected)


def test_what_could_not_be_resumed_is_refused(pair: Team, tmp_path: Path) -> None:
    for said in pair.call(loss_cases.refused, tmp_path):
        assert "must be one folder for all ranks, but rank 1 does not find what rank 0 wrote" in said["disk"]
        for what in ("sharded, checkpoint", "sharded, save", "sharded, resume"):
            assert "all of them would write the same checkpoint" in said[what]
        assert 'the model is sharded already, and parallel="fsdp" would do so again' in said["sharded, parallel"]
        assert "the checkpoint of rank 1 of 2 is missing" in said["missing"]
