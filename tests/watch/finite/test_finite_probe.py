"""NaN and Inf in gradients and weights: found before the update where it can be, named, and never invented."""

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.optim import LBFGS, SGD

from surefoot.facts import EndFacts, NonFiniteFacts
from surefoot.watch.window import FIRST_WINDOWS
from tests.watch.watching import Watched, watching

Spoil = Callable[[torch.nn.Module, int], None]


class Poison(torch.autograd.Function):
    """Passes values on and multiplies the gradient: by NaN, and no graph tells that from another step's."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        return grad * ctx.factor, None


def train(
    num_steps: int, bad: int, *, clip: bool = False, optimizer_class: type[torch.optim.Optimizer] = SGD
) -> torch.nn.Module:
    """The gradient of the first layer is NaN at step `bad` (from 1)."""
    torch.manual_seed(0)
    first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
    model = torch.nn.Sequential(first, second)
    optimizer = optimizer_class(model.parameters(), lr=0.1)  # type: ignore[call-arg]
    for step in range(1, num_steps + 1):
        factor = float("nan") if step == bad else 1.0
        hidden = Poison.apply(first(torch.randn(4, 3)), factor)  # type: ignore[no-untyped-call]
        optimizer.zero_grad()
        second(hidden).square().mean().backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


def found(watched: Watched) -> dict[int, NonFiniteFacts]:
    return {step.index: step.non_finite for step in watched.steps if step.non_finite is not None}


def at_the_end(watched: Watched) -> tuple[NonFiniteFacts, ...]:
    watched.tap.run("end", watched.emit_end, "finished")
    (end,) = (record for record in watched.records if isinstance(record, EndFacts))
    return end.non_finite


@pytest.mark.parametrize("clip", [False, True])
def test_found_at_the_step_with_names(clip: bool) -> None:
    with watching() as watched:
        model = train(3, bad=3, clip=clip)
        (bad,) = found(watched).values()
        assert at_the_end(watched) == ()
    assert list(found(watched)) == [3]
    assert bad.first_bad.endswith("0.bias") and bad.last_good.endswith("1.weight"), "as before clipping spread it"
    assert (bad.num_bad, bad.num_checked, bad.finite_at) == (2, 4, 2)
    assert bad.has_nan and not bad.has_inf and bad.where == "gradients"
    del model


def test_a_bad_norm_is_followed_at_once_whatever_the_overhead() -> None:
    bad = FIRST_WINDOWS + 20
    with watching() as watched:
        model = train(bad, bad=bad, clip=True)
        assert list(found(watched)) == [bad]
    del model


def test_what_slips_through_is_found_at_the_end() -> None:
    bad = FIRST_WINDOWS + 20  # in a window that is not armed, without a loss or a norm that tells
    with watching() as watched:
        model = train(bad, bad=bad)
        assert not watched.tap.armed and found(watched) == {}
        (weights,) = at_the_end(watched)
    assert weights.where == "weights" and weights.num_bad == 2
    del model


def test_the_check_at_the_end_also_comes_when_the_optimizer_dies_first() -> None:
    with watching() as watched:
        probe = next(p for p in watched.probes if p.name == "finite")

        def scope() -> None:
            model = train(1, bad=99)
            optimizer = SGD(model.parameters(), lr=0.1)
            for _ in range(2):
                for p in model.parameters():
                    p.grad = torch.full_like(p, float("nan"))
                optimizer.step()
                for check in probe._checks.values():  # type: ignore[attr-defined]
                    check.checked_at = 0

        scope()
        gc.collect()
        assert [bad.where for bad in at_the_end(watched)] == ["weights"]


def test_finite_but_huge_gradients_are_finite() -> None:
    with watching() as watched:
        model = torch.nn.Linear(3, 2)
        optimizer = SGD(model.parameters(), lr=1e-35)
        (1e30 * model(torch.randn(4, 3))).sum().backward()
        assert float(torch.stack(torch._foreach_norm([p.grad for p in model.parameters()])).max()) > 1e30
        optimizer.step()
        (1e14 * model(torch.randn(4, 3))).square().sum().backward()
        optimizer.step()
    assert found(watched) == {}


def test_an_optimizer_of_ones_own_is_judged_by_what_it_does() -> None:
    class Careful(SGD):
        def step(self, closure: Any = None) -> Any:
            grads = [p.grad for group in self.param_groups for p in group["params"]]
            return super().step(closure) if all(bool(g.isfinite().all()) for g in grads) else None

    class Careless(SGD):
        def step(self, closure: Any = None) -> Any:
            return super().step(closure)

    with watching() as watched:
        careful = train(4, bad=2, optimizer_class=Careful)
        assert found(watched) == {} and at_the_end(watched) == ()
    with watching() as watched:
        careless = train(4, bad=2, optimizer_class=Careless)
    assert found(watched)[3].step == 2
    del careful, careless


def test_line_searches_and_masks_in_the_weights_are_left_alone() -> None:
    with watching() as watched:
        weight = torch.nn.Parameter(torch.zeros(2))
        optimizer = LBFGS([weight], lr=1.0, line_search_fn="strong_wolfe")

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = (weight - 3).square().sum()
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        optimizer.step(closure)
        masked = torch.nn.Parameter(torch.tensor([1.0, float("-inf")]))
        plain = SGD([masked], lr=0.1)
        for _ in range(40):
            plain.zero_grad()
            masked[0].square().backward()
            plain.step()
        probe = next(p for p in watched.probes if p.name == "finite")
        for check in probe._checks.values():  # type: ignore[attr-defined]
            check.checked_at = 0
        assert at_the_end(watched) == ()
    assert found(watched) == {}


def test_sparse_and_mixed_gradients() -> None:
    with watching() as watched:
        embedding = torch.nn.Embedding(5, 3, sparse=True)
        half = torch.nn.Linear(3, 2).to(torch.bfloat16)
        optimizer = SGD([*embedding.parameters(), *half.parameters()], lr=0.1)
        for size in (1.0, float("inf")):
            optimizer.zero_grad()
            (size * half(embedding(torch.tensor([1, 2])).bfloat16())).sum().backward()
            optimizer.step()
    assert list(found(watched)) == [2]
