"""`stop_on`: the step raises before its update, so that the weights stay as they were."""

import pickle

import pytest
import torch

from surefoot.rules import Level
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import FindingError, Sanitizer
from surefoot.watch.settings import Settings


def train(optimizer: torch.optim.Optimizer, model: torch.nn.Module, closure: bool, keyword: bool) -> None:
    """Two steps that never clear their gradients."""
    for _ in range(2):
        x = torch.randn(8, 4)

        def evaluate(x: torch.Tensor = x) -> torch.Tensor:
            loss = model(x).square().mean()
            loss.backward()
            return loss

        if not closure:
            evaluate()
            optimizer.step()
        elif keyword:
            optimizer.step(closure=evaluate)
        else:
            optimizer.step(evaluate)


@pytest.mark.parametrize("keyword", [False, True])
@pytest.mark.parametrize("closure", [False, True])
def test_weights_are_untouched_by_the_step_that_raises(closure: bool, keyword: bool) -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    after_first: list[torch.Tensor] = []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_post_hook(lambda *_: after_first.append(model.weight.detach().clone()))
    sanitizer = Sanitizer([catalogue()["stale-gradients"]], stop_on="error")
    sanitizer.start()
    try:
        with pytest.raises(FindingError, match="stale-gradients") as raised:
            train(optimizer, model, closure, keyword)
    finally:
        sanitizer.finish()
    assert len(after_first) == 1
    assert torch.equal(model.weight, after_first[0])
    assert raised.value.finding.step == 2
    assert sanitizer.recorder.inside_step is None


def test_lbfgs_runs_all_its_evaluations_and_counts_one_step() -> None:
    def run() -> tuple[torch.Tensor, int]:
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
        x = torch.randn(8, 4)
        evaluations = 0

        def evaluate() -> torch.Tensor:
            nonlocal evaluations
            evaluations += 1
            optimizer.zero_grad()
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(evaluate)
        return model.weight.detach().clone(), evaluations

    plain = run()
    sanitizer = Sanitizer(catalogue().values(), stop_on="warning")
    sanitizer.start()
    try:
        watched = run()
    finally:
        sanitizer.finish()
    assert torch.equal(plain[0], watched[0])
    assert plain[1] == watched[1]
    assert sanitizer.recorder.num_steps == 3
    assert sanitizer.judge.findings == []


@pytest.mark.parametrize("stop_on", ["warning", None])
def test_a_caught_stop_is_raised_once(stop_on: Level | None) -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sanitizer = Sanitizer([catalogue()["stale-gradients"]], stop_on=stop_on)
    sanitizer.start()
    num_raised = 0
    try:
        for _ in range(4):
            model(torch.randn(8, 4)).square().mean().backward()
            try:
                optimizer.step()
            except FindingError:
                num_raised += 1
    finally:
        sanitizer.finish()
    assert num_raised == (0 if stop_on is None else 1)
    assert sanitizer.recorder.num_steps == 4


def test_the_error_survives_the_way_out_of_a_pool() -> None:
    sanitizer = Sanitizer([catalogue()["stale-gradients"]], stop_on="error")
    sanitizer.start()
    model = torch.nn.Linear(4, 1)
    try:
        with pytest.raises(FindingError) as raised:
            train(torch.optim.SGD(model.parameters(), lr=0.1), model, closure=False, keyword=False)
    finally:
        sanitizer.finish()
    again = pickle.loads(pickle.dumps(raised.value))
    assert str(again) == str(raised.value)
    assert again.finding == raised.value.finding


def test_gradients_that_turn_bad_late_are_stopped_before_the_update() -> None:
    """A finite loss with NaN in its gradients, long after the first steps, and with no time left for measuring."""
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sanitizer = Sanitizer(catalogue().values(), stop_on="error", settings=Settings(overhead=0.0))
    sanitizer.start()
    try:
        with pytest.raises(FindingError, match="non-finite-step"):
            for step in range(100):
                x = torch.randn(8, 4)
                x[0] = 0.0 if step == 80 else x[0]
                outputs = torch.nn.functional.linear(x, model.weight)
                loss = (outputs.square().sqrt() - x.sum(1, keepdim=True)).square().mean() + model.bias.square().sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    finally:
        sanitizer.finish()
    assert step == 80
    assert bool(torch.isfinite(model.weight).all())
