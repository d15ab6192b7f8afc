"""Train-mode forwards with gradient, in passes over loaders on which nothing is trained."""

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from surefoot.facts import EndFacts
from tests.watch.mode.program import evaluations, small_net, train
from tests.watch.watching import watching


def held_out() -> DataLoader[Tensor]:
    return DataLoader(torch.randn(24, 4), batch_size=8)  # type: ignore[arg-type]


def test_a_pass_whose_graphs_are_gone_is_told() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = held_out()
    with watching() as watched:
        for _ in range(3):
            train(model, optimizer, num_steps=4)
            for x in loader:
                output = model(x)
        assert output.requires_grad
        watched.emit_end("finished")
    told = evaluations(watched)
    assert [(e.phase, e.gaps, e.num_forwards, e.with_gradient, e.in_train) for e in told] == [
        (1, (), 3, True, True), (2, (4,), 3, True, True),
    ]  # fmt: skip
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert [(e.phase, e.is_last, e.is_trained) for e in end.evaluations] == [(3, True, True)]


def test_dropout_alone_tells_it_too() -> None:
    model = small_net(batchnorm=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        for x in held_out():
            model(x)
        train(model, optimizer)
    assert [(e.num_forwards, e.num_dropout) for e in evaluations(watched)] == [(3, 1)]


def test_losses_that_are_backwarded_after_the_pass_are_training() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = held_out()
    with watching() as watched:
        for _ in range(4):
            train(model, optimizer)
            losses = [model(x).square().mean() for x in loader]
            optimizer.zero_grad()
            torch.stack(losses).sum().backward()
            optimizer.step()
            del losses
    assert evaluations(watched) == []


def test_a_loader_that_is_trained_on_is_left_alone() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = held_out()
    with watching() as watched:
        for _ in range(3):
            for x in loader:
                loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            for x in loader:  # the statistics are brought up to date
                model(x)
        watched.emit_end("finished")
    assert evaluations(watched) == []
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    assert end.evaluations == ()


def test_a_pass_that_is_still_running_is_no_evaluation() -> None:
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        for _ in range(3):
            candidates = iter(held_out())
            for x in (next(candidates), next(candidates)):
                model(x)
            train(model, optimizer)
    assert evaluations(watched) == []
