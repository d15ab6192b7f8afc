"""Forwards that no backward follows, as the probe tells them."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import update_bn
from torch.utils.checkpoint import checkpoint

from surefoot.facts import EndFacts
from tests.watch.mode.program import evaluations, small_net, train
from tests.watch.watching import watching


@pytest.mark.parametrize("without_gradient", [torch.no_grad, torch.inference_mode])
def test_a_phase_is_told_with_the_next_step(without_gradient: Callable[[], torch.no_grad]) -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(3):
            train(model, optimizer, num_steps=4)
            with without_gradient():
                for _ in range(2):
                    model(torch.randn(8, 4))
        train(model, optimizer, num_steps=1)
    told = evaluations(watched)
    assert [(e.phase, e.gaps, e.num_forwards, e.num_repeated) for e in told] == [
        (1, (), 2, 0), (2, (4,), 2, 0), (3, (4, 4), 2, 0),
    ]  # fmt: skip
    first = told[0]
    assert (first.model, first.in_train, first.num_batchnorm, first.num_dropout) == ("Sequential", True, 1, 1)
    assert first.is_trained
    assert not first.before_first_step
    assert first.site is not None
    assert "model(torch.randn(8, 4))" in _line_of(first.site.file, first.site.line)


def _line_of(file: str, line: int) -> str:
    with open(file) as source:  # noqa: PTH123
        return source.readlines()[line - 1]


def test_what_comes_last_is_told_at_the_end() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        with torch.no_grad():
            model(torch.randn(8, 4))
        watched.emit_end("finished")
    assert evaluations(watched) == []
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert [(e.is_last, e.is_trained) for e in end.evaluations] == [(True, True)]


def test_eval_mode_without_gradient_is_nothing_to_tell() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(2):
            model.train()
            train(model, optimizer)
            model.eval()
            with torch.no_grad():
                model(torch.randn(8, 4))
        watched.emit_end("finished")
    assert evaluations(watched) == []
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert end.evaluations == ()


def test_an_optimizer_that_is_gone_has_trained_the_model_all_the_same() -> None:
    model = small_net()
    with watching() as watched:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01))
        with torch.no_grad():
            model(torch.randn(8, 4))
        watched.emit_end("finished")
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert [e.is_trained for e in end.evaluations] == [True]


def test_one_input_given_again_is_told_from_new_ones() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        x = torch.randn(8, 4)
        with torch.no_grad():
            for _ in range(5):
                model(x)
        train(model, optimizer, num_steps=1)
    assert [(e.num_forwards, e.num_repeated) for e in evaluations(watched)] == [(5, 4)]


def test_a_layer_used_several_times_in_a_forward_counts_it_once() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.drop = nn.Dropout(0.1)
            self.last = nn.Linear(4, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for _ in range(3):
                x = self.drop(self.linear(x))
            return self.last(x)

    model = Shared()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        with torch.no_grad():
            for _ in range(2):
                model(torch.randn(8, 4))
        train(model, optimizer, num_steps=1)
    assert [(e.num_forwards, e.num_repeated, e.num_dropout) for e in evaluations(watched)] == [(2, 0, 1)]


def test_switching_back_to_train_is_known() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        model.eval()
        model.train()
        with torch.no_grad():
            model(torch.randn(8, 4))
        train(model, optimizer, num_steps=1)
        with torch.no_grad():
            model(torch.randn(8, 4))
        train(model, optimizer, num_steps=1)
    assert [e.switched_on for e in evaluations(watched)] == [True, False]


def test_recalibration_is_known() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batchnorm = model[1]
    assert isinstance(batchnorm, nn.BatchNorm1d)
    with watching() as watched:
        train(model, optimizer)
        update_bn([torch.randn(8, 4)], model)
        train(model, optimizer, num_steps=1)
        assert evaluations(watched) == []
        batchnorm.reset_running_stats()
        with torch.no_grad():
            model(torch.randn(8, 4))
        train(model, optimizer, num_steps=1)
    assert [e.recalibrates for e in evaluations(watched)] == [True]


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpointed_blocks_are_no_evaluation(use_reentrant: bool) -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def forward(x: torch.Tensor) -> torch.Tensor:
        result = checkpoint(model, x.requires_grad_(), use_reentrant=use_reentrant)
        assert isinstance(result, torch.Tensor)
        return result

    with watching() as watched:
        train(model, optimizer, forward=forward)
        watched.emit_end("finished")
    assert evaluations(watched) == []
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert end.evaluations == ()


def test_a_model_that_no_optimizer_holds_is_not_trained() -> None:
    model, teacher = small_net(), small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(3):
            with torch.no_grad():
                teacher(torch.randn(8, 4))
            train(model, optimizer, num_steps=1)
    assert {e.is_trained for e in evaluations(watched)} == {False}


def test_a_momentum_copy_inside_the_model_is_not_trained() -> None:
    class Momentum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fast, self.slow = small_net(), small_net().requires_grad_(False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with torch.no_grad():
                self.slow(x)
            result: torch.Tensor = self.fast(x)
            return result

    model = Momentum()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
    assert {e.is_trained for e in evaluations(watched)} == {False}


def test_rounds_of_a_game_count_as_one_step() -> None:
    generator, critic = small_net(), small_net(batchnorm=False, dropout=False)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.01) for m in (generator, critic)]
    with watching() as watched:
        for _ in range(4):
            with torch.no_grad():
                generator(torch.randn(8, 4))
            train(critic, optimizers[1], num_steps=1)
            train(generator, optimizers[0], num_steps=1)
    last = evaluations(watched)[-1]
    assert (last.gaps, last.before_first_step, last.num_optimizers) == ((1, 1, 1), True, 2)


def test_evaluations_wake_a_recorder_that_sleeps() -> None:
    model = small_net(dropout=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer, num_steps=70)
        for _ in range(3):
            with torch.no_grad():
                model(torch.randn(8, 4))
            train(model, optimizer, num_steps=5)
    assert [e.gaps for e in evaluations(watched)] == [(), (5,), (5, 5)]


def test_what_is_evaluated_after_every_step_is_never_slept_through() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(80):
            train(model, optimizer, num_steps=1)
            with torch.no_grad():
                model(torch.randn(8, 4))
        watched.emit_end("finished")
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert [(e.is_last, e.phase, set(e.gaps)) for e in end.evaluations] == [(True, 80, {1})]


def test_graphs_of_an_evaluation_are_told_and_those_of_training_are_not() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        model.eval()
        model(torch.randn(8, 4))
        model.train()
        train(model, optimizer)
        model.eval()
        train(model, optimizer)
    assert [(e.with_gradient, e.in_train, e.wants_input_gradient) for e in evaluations(watched)] == [
        (True, False, False)
    ]


def test_a_copy_of_the_trained_model_is_told_as_one() -> None:
    model, copy, other = small_net(), small_net(), nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        with torch.no_grad():
            for each in (model, copy, other):
                each(torch.randn(8, 4))
        train(model, optimizer)
    assert [(e.is_trained, e.is_copy) for e in evaluations(watched)] == [(True, False), (False, True), (False, False)]
