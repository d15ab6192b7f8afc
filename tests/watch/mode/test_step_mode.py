"""The mode in which a step trains, and its batch-norm layers."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from surefoot.facts import ModeFacts
from tests.watch.mode.program import small_net, train
from tests.watch.watching import Watched, watching


def modes(watched: Watched) -> list[ModeFacts]:
    return [step.mode or ModeFacts() for step in watched.steps]


def in_eval(watched: Watched) -> list[bool]:
    return [mode.in_eval is not None for mode in modes(watched)]


def test_eval_that_was_never_undone() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        model.eval()
        train(model, optimizer, num_steps=2)
    assert in_eval(watched) == [False, False, False, True, True]
    facts = modes(watched)[-1].in_eval
    assert facts is not None
    assert (facts.models, facts.num_dropout, facts.num_batchnorm, facts.num_frozen) == (("Sequential",), 1, 1, 0)
    assert facts.num_steps_in_train == 3
    assert facts.site is not None
    assert facts.site.function == "test_eval_that_was_never_undone"


@pytest.mark.parametrize("switch", ["eval", "train(False)", "wrapper", "compiled"])
def test_every_way_to_switch(switch: str) -> None:
    inner = small_net()
    model: nn.Module = nn.DataParallel(inner) if switch == "wrapper" else inner
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        trained = torch.compile(model, backend="eager") if switch == "compiled" else model
        if switch == "train(False)":
            model.train(False)
        elif switch == "compiled":
            trained.eval()
        else:
            model.eval()
        train(trained, optimizer, num_steps=1)
    assert in_eval(watched) == [True]


def test_functional_dropout_shows_the_mode() -> None:
    class Functional(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.dropout(self.linear(x), 0.1, self.training)

    model = Functional()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer, num_steps=1)
        model.eval()
        train(model, optimizer, num_steps=1)
        model.train()
        train(model, optimizer, num_steps=1)
    assert in_eval(watched) == [False, True, False]


def test_parts_in_eval_mode_are_not_the_model() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        model[1].eval()
        train(model, optimizer, num_steps=1)
        model.eval()
        model[4].train()  # the last layer is trained in train mode, on purpose
        train(model, optimizer, num_steps=1)
    assert in_eval(watched) == [False, False]


def test_models_without_dropout_and_batchnorm_and_models_of_others_do_not_count() -> None:
    plain, teacher = small_net(batchnorm=False, dropout=False), small_net()
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.01)
    with watching() as watched:
        plain.eval()
        teacher.eval()
        train(plain, optimizer, num_steps=2)
    assert in_eval(watched) == [False, False]


def test_the_mode_at_the_backward_counts() -> None:
    model = small_net()
    with watching() as watched:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        model(torch.randn(8, 4)).mean().backward()
        model.eval()
        optimizer.step()
    assert in_eval(watched) == [False]


@pytest.mark.parametrize(("batch", "num_tiny"), [(2, 3), (3, 3), (4, 0)])
def test_few_values_per_channel_are_counted(batch: int, num_tiny: int) -> None:
    model = small_net(dropout=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer, batch=batch)
    tiny = modes(watched)[-1].tiny_batch
    assert (tiny.num_tiny if tiny else 0) == num_tiny
    if tiny:
        assert (tiny.layer[-1], tiny.values_per_channel, tiny.num_forwards) == ("1", batch, 3)
        assert tiny.site is not None
        assert tiny.site.function == "train"


def test_pixels_are_values() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer, batch=1, forward=lambda x: model(x.reshape(1, 1, 2, 2).repeat(1, 1, 2, 2)))
    assert modes(watched)[-1].tiny_batch is None


def test_frozen_batchnorm_drifts_while_its_weights_stay() -> None:
    model = small_net()
    model[1].requires_grad_(False)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
    with watching() as watched:
        train(model, optimizer, num_steps=4)
        drift = modes(watched)[-1].drift
        model[1].eval()
        train(model, optimizer, num_steps=1)
    assert drift is not None
    assert (drift.layer[-1], drift.num_forwards, drift.num_steps, drift.under_no_grad) == ("1", 4, 4, False)
    assert drift.shift is not None
    assert drift.shift > 0
    assert modes(watched)[-1].drift is None


def test_a_frozen_copy_that_follows_the_model_does_not_drift() -> None:
    model = small_net()
    teacher = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(5):
            teacher(torch.randn(8, 4))
            train(model, optimizer, num_steps=1)
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), model.parameters(), strict=True):
                    slow.data.lerp_(fast.data, 0.1)
    assert modes(watched)[-1].drift is None


def test_batchnorm_layers_of_the_optimizer_are_counted() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer, num_steps=1)
        model.eval()
        train(model, optimizer, num_steps=1)
    assert [mode.num_batchnorm_trained for mode in modes(watched)] == [1, 0]
