"""Means of weights by torch's AveragedModel, and the batch-norm statistics that they are evaluated with."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, get_swa_multi_avg_fn, update_bn

from surefoot.facts import PlainAverageFacts, SetupFacts
from tests.watch.mode.program import train
from tests.watch.mode.test_averaged import evaluate, net
from tests.watch.watching import Watched, watching


def averaged(model: nn.Module, *, lr: float = 0.1, **options: Any) -> AveragedModel:
    average = AveragedModel(model, **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(4):
        model.train()
        train(model, optimizer, 4)
        average.update_parameters(model)
    return average


def found(watched: Watched) -> list[PlainAverageFacts]:
    watched.emit_end("end")
    return [one for r in watched.records if isinstance(r, SetupFacts) for one in r.plain_averages][-1:]


@pytest.mark.parametrize("options", [{}, {"multi_avg_fn": get_swa_multi_avg_fn()}])
def test_a_mean_with_the_statistics_of_the_last_weights(options: dict[str, Any]) -> None:
    with watching() as watched:
        average = averaged(net(), **options)
        evaluate(average)
        (one,) = found(watched)
    assert (one.model, one.num_layers, one.num_averaged) == ("Sequential", 1, 4)
    assert one.apart > 0.02 and one.site is not None


@pytest.mark.parametrize("options", [{"use_buffers": True}, {"multi_avg_fn": get_ema_multi_avg_fn(0.9)}, {"lr": 1e-4}])
def test_averages_of_other_kinds_are_fine(options: dict[str, Any]) -> None:
    with watching() as watched:
        evaluate(averaged(net(), **options))
        assert found(watched) == []


def test_new_statistics_are_fine() -> None:
    with watching() as watched:
        average = averaged(net())
        update_bn([torch.randn(8, 4) for _ in range(3)], average)
        evaluate(average)
        assert found(watched) == []


def test_a_mean_that_is_not_evaluated_is_fine() -> None:
    with watching() as watched:
        average = averaged(net())
        average.train()
        average(torch.randn(8, 4))
        assert found(watched) == []


def test_a_model_without_batchnorm_has_no_statistics() -> None:
    torch.manual_seed(0)
    with watching() as watched:
        evaluate(averaged(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))))
        assert found(watched) == []
