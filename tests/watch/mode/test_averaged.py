"""Copies whose weights follow a model and whose batch-norm statistics do not."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn

from surefoot.facts import AveragedFacts, SetupFacts
from tests.watch.mode.program import train
from tests.watch.watching import Watched, watching

Follow = Callable[[nn.Module, nn.Module], None]


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))


@torch.no_grad()
def weights(average: nn.Module, model: nn.Module) -> None:
    for mean, param in zip(average.parameters(), model.parameters(), strict=True):
        mean.lerp_(param, 0.1)


@torch.no_grad()
def everything(average: nn.Module, model: nn.Module) -> None:
    weights(average, model)
    for mean, buffer in zip(average.buffers(), model.buffers(), strict=True):
        mean.copy_(buffer)


def run(model: nn.Module, average: nn.Module, follow: Follow, steps: int = 24) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        train(model, optimizer, 1)
        follow(average, model)


def evaluate(model: nn.Module) -> None:
    model.eval()
    with torch.no_grad():
        model(torch.randn(8, 4))


def found(watched: Watched) -> tuple[AveragedFacts, ...]:
    watched.emit_end("end")
    return [record for record in watched.records if isinstance(record, SetupFacts)][-1].averaged


@pytest.mark.parametrize("late", [False, True])
def test_weights_alone(late: bool) -> None:
    with watching() as watched:
        model = net()
        average = copy.deepcopy(model)
        if late:
            run(model, average, lambda average, model: None, 40)
        run(model, average, weights)
        evaluate(average)
        (one,) = found(watched)
    assert one.model == "Sequential" and one.num_layers == 1 and one.num_steps >= 23
    assert one.site is not None and one.site.function == "evaluate"


def test_a_copy_inside_the_model_that_always_evaluates() -> None:
    with watching() as watched:
        agent = nn.ModuleDict({"net": net(), "target": net().eval()})
        optimizer = torch.optim.SGD(agent["net"].parameters(), lr=0.05)
        for _ in range(24):
            x = torch.randn(8, 4)
            with torch.no_grad():
                target = agent["target"](x)
            optimizer.zero_grad()
            nn.functional.mse_loss(agent["net"](x), target + x[:, :1]).backward()
            optimizer.step()
            weights(agent["target"], agent["net"])
        assert len(found(watched)) == 1


def test_statistics_follow() -> None:
    with watching() as watched:
        model = net()
        average = copy.deepcopy(model)
        run(model, average, everything)
        evaluate(average)
        assert found(watched) == ()


def test_statistics_are_taken_anew() -> None:
    with watching() as watched:
        model = net()
        average = copy.deepcopy(model)
        run(model, average, weights)
        update_bn([torch.randn(8, 4) for _ in range(4)], average)
        evaluate(average)
        assert found(watched) == ()


def test_torchs_own_average() -> None:
    with watching() as watched:
        model = net()
        average = AveragedModel(model)
        run(model, average, lambda average, model: average.update_parameters(model))  # type: ignore[operator]
        evaluate(average)
        assert found(watched) == ()


def test_a_copy_that_stays_or_is_not_evaluated() -> None:
    with watching() as watched:
        model = net()
        start, average = copy.deepcopy(model), copy.deepcopy(model)
        run(model, average, weights)
        evaluate(start)
        average(torch.randn(8, 4))
        assert found(watched) == ()
