"""Optimizers that evaluate the loss several times in one update."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.update import NonFiniteError
from tests.loop.training import Probe, all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


class Sam(torch.optim.Optimizer):
    """Sharpness-aware minimisation as it is widely used: the gradients at the weights are there when it steps."""

    def __init__(self, params: Any, lr: float, rho: float = 0.05) -> None:
        super().__init__(params, {"lr": lr, "rho": rho})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        assert closure is not None, "SAM requires a closure"
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        norm = torch.stack([p.grad.norm() for p in params if p.grad is not None]).norm()
        moved = [(p, p.grad * self.param_groups[0]["rho"] / norm) for p in params if p.grad is not None]
        for p, by in moved:
            p.add_(by)
        self.zero_grad()
        with torch.enable_grad():
            closure()
        for p, by in moved:
            p.sub_(by)
            assert p.grad is not None
            p.sub_(self.param_groups[0]["lr"] * p.grad)


def lbfgs(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4, history_size=5, line_search_fn="strong_wolfe")


def plain(make: Callable[[nn.Module], torch.optim.Optimizer], epochs: int, *, backward_first: bool) -> nn.Module:
    model = make_model(dtype=torch.float64)
    optimizer = make(model)
    for x, y in make_batches([8, 8], dtype=torch.float64) * epochs:

        def closure(x: Tensor = x, y: Tensor = y) -> Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        if backward_first:
            closure()
        optimizer.step(closure)  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize("backward_first", [False, True])
def test_it_is_the_loop_that_people_write(backward_first: bool) -> None:
    def make(model: nn.Module) -> torch.optim.Optimizer:
        return Sam(model.parameters(), lr=0.1) if backward_first else lbfgs(model)

    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, make(model))
    for x, y in loop.batches(make_batches([8, 8], dtype=torch.float64), epochs=3):
        with loop.step() as step:
            step.closure(lambda x=x, y=y: F.cross_entropy(model(x), y))  # type: ignore[misc]
    assert all_equal(weights(model), weights(plain(make, 3, backward_first=backward_first)))
    assert (loop.num_updates, len(loop.history["loss"])) == (6, 6)
    assert loop.history["loss"][-1] < loop.history["loss"][1]  # of the same batch


def test_fit_takes_an_optimizer_that_needs_a_closure() -> None:
    model = make_model(dtype=torch.float64)
    sf.Loop(model, lbfgs(model)).fit(make_batches([8, 8], dtype=torch.float64), F.cross_entropy, 3)
    assert all_equal(weights(model), weights(plain(lbfgs, 3, backward_first=False)))


def test_what_the_optimizer_knows_is_not_computed_again() -> None:
    model = Probe(1)
    calls = []
    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=1), watch=False)
    with loop.step() as step:
        step.closure(lambda: calls.append(1) or (model(torch.ones(1, 1)) - 1).square().mean())  # type: ignore[func-returns-value]
    assert len(calls) == 1


def test_resume_is_bitwise_the_same_run(tmp_path: Path) -> None:
    def make(folder: Path) -> tuple[nn.Module, sf.Loop]:
        model = make_model(dropout=0.2)
        torch.manual_seed(2)
        optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3, history_size=4)
        return model, sf.Loop(model, optimizer, checkpoint=folder, clip_norm=5.0, precision="bf16")

    def train(model: nn.Module, loop: sf.Loop, until: int | None = None) -> None:
        for num, (x, y) in enumerate(loop.batches(make_batches([8, 8, 8]), epochs=3), 1):
            with loop.step() as step:
                step.closure(lambda x=x, y=y: F.cross_entropy(model(x), y))  # type: ignore[misc]
            if num == until:
                loop.save()
                return

    model, loop = make(tmp_path / "whole")
    train(model, loop)
    for until in (1, 3, 7):
        train(*make(tmp_path / str(until)), until=until)
        again, resumed = make(tmp_path / str(until))
        assert resumed.resume()
        train(again, resumed)
        assert all_equal(weights(model), weights(again))
        assert list(loop.history) == list(resumed.history)


def test_an_evaluation_that_is_not_finite_leaves_the_weights_as_they_were() -> None:
    model = Probe(1)
    calls = []

    def compute_loss() -> Tensor:
        calls.append(1)
        return (model(torch.ones(1, 1)) - 1).square().mean() * (float("nan") if len(calls) == 3 else 1.0)

    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters(), lr=0.01, max_iter=9), watch=False)
    with pytest.raises(NonFiniteError, match="weights are those of update 0"), loop.step() as step:
        step.closure(compute_loss)
    assert (len(calls), model.w.item(), model.w.grad) == (3, 0.0, None)


def test_a_closure_that_fails_leaves_the_weights_as_they_were() -> None:
    model = Probe(1)
    calls = []

    def compute_loss() -> Tensor:
        calls.append(1)
        if len(calls) == 2:
            raise KeyError
        return (model(torch.ones(1, 1)) - 1).square().mean()

    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters(), lr=0.01, max_iter=9), watch=False)
    with pytest.raises(KeyError), loop.step() as step:
        step.closure(compute_loss)
    assert (model.w.item(), model.w.grad, loop.num_updates) == (0.0, None, 0)


def test_a_loss_instead_of_a_closure_is_refused() -> None:
    model = Probe(1)
    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters()))
    says = r"LBFGS evaluates the loss several times .* write step\.closure\(lambda: loss_fn"
    with pytest.raises(TypeError, match=says), loop.step() as step:
        step.backward(model(torch.ones(1, 1)).mean())
    with pytest.raises(RuntimeError, match="a step takes one closure"), loop.step() as step:
        step.closure(lambda: model(torch.ones(1, 1)).mean())
        step.closure(lambda: model(torch.ones(1, 1)).mean())


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"accumulate": 2}, "Leave accumulate out, and let the closure compute the mean loss of all parts"),
        ({"precision": "fp16"}, 'GradScaler takes no closures, got precision="fp16"'),
        ({"on_nonfinite": "skip"}, 'Use on_nonfinite="raise"'),
    ],
)
def test_settings_that_an_update_by_a_closure_can_not_honour(settings: dict[str, Any], says: str) -> None:
    model = Probe(1)
    with pytest.raises(ValueError, match=says):
        sf.Loop(model, torch.optim.LBFGS(model.parameters()), **settings)


def test_a_closure_is_for_one_optimizer() -> None:
    a, b = Probe(1), Probe(1)
    with pytest.raises(ValueError, match="made by one optimizer, got a list of them"):
        sf.Loop([a, b], [torch.optim.LBFGS(a.parameters()), torch.optim.SGD(b.parameters(), lr=0.1)])
