"""Batch-norm layers with a large momentum that are trained and evaluated."""

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import update_bn

from surefoot.facts import MomentumFacts, SetupFacts
from tests.watch.mode.program import train
from tests.watch.watching import Watched, watching


def net(momentum: float | None) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=momentum), nn.Linear(8, 1))


def evaluate(model: nn.Module) -> None:
    model.eval()
    with torch.no_grad():
        model(torch.randn(8, 4))


def found(watched: Watched) -> MomentumFacts | None:
    watched.emit_end("end")
    return [record for record in watched.records if isinstance(record, SetupFacts)][-1].momentum


def test_trained_and_evaluated() -> None:
    with watching() as watched:
        model = net(0.99)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 8)
        evaluate(model)
        facts = found(watched)
    assert facts is not None and facts.momentum == 0.99 and facts.num_layers == 1 and facts.num_batches == 7
    assert facts.site is not None and facts.site.function == "net"


@pytest.mark.parametrize("momentum", [0.1, 0.5, 1.0, None])
def test_other_momenta(momentum: float | None) -> None:
    with watching() as watched:
        model = net(momentum)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 8)
        evaluate(model)
        assert found(watched) is None


def test_never_evaluated() -> None:
    with watching() as watched:
        model = net(0.99)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 8)
        model.eval()
        model.train()
        assert found(watched) is None


def test_never_trained() -> None:
    with watching() as watched:
        model, other = net(0.99).eval(), net(0.1)
        train(other, torch.optim.SGD(other.parameters(), lr=0.01), 8)
        evaluate(model)
        assert found(watched) is None


def test_statistics_taken_anew() -> None:
    with watching() as watched:
        model = net(0.99)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 8)
        update_bn([torch.randn(8, 4) for _ in range(20)], model)
        evaluate(model)
        assert found(watched) is None


def test_a_schedule_of_momenta() -> None:
    with watching() as watched:
        model = net(0.9)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        train(model, optimizer, 8)
        model[1].momentum = 0.1
        train(model, optimizer, 8)
        evaluate(model)
        assert found(watched) is None
