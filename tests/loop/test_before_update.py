"""A program may look at the gradients of a window, and change them, before they are used."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from surefoot.loop.precision import Precision
from surefoot.loop.update import NonFiniteError
from tests.loop.training import Probe, all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def gradient(model: nn.Module) -> torch.Tensor:
    grad = next(model.parameters()).grad
    assert grad is not None
    return grad


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_it_sees_the_true_gradient_of_the_whole_window(precision: Precision) -> None:
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    seen = []
    loop = sf.Loop(
        model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=2, clip_norm=0.125, precision=precision,
        before_update=lambda loop: seen.append((loop.num_updates, gradient(model).tolist())),
    )  # fmt: skip
    for x in (torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 0.5]])):
        with loop.step(weight=1) as step:
            step.backward(model(x).mean())
    assert seen == [(0, [[0.5, 0.25]])]  # neither scaled, nor a sum, nor clipped


def test_what_it_leaves_is_clipped_and_applied() -> None:
    model = Probe(2)

    def double(loop: sf.Loop) -> None:
        gradient(model).mul_(2)

    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), clip_norm=5.0, before_update=double)
    with loop.step() as step:
        step.backward(model(torch.tensor([[3.0, 4.0]])).mean())
    assert loop.history["grad_norm"] == [10.0]
    assert model.w.tolist() == pytest.approx([-3.0, -4.0], abs=1e-5)


def test_gradients_may_be_replaced_or_taken_away() -> None:
    first, second = Probe(1), Probe(1)

    def edit(loop: sf.Loop) -> None:
        first.w.grad = torch.tensor([7.0])
        second.w.grad = None

    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=1.0)
    loop = sf.Loop([first, second], optimizer, before_update=edit)
    with loop.step() as step:
        step.backward((first(torch.ones(1, 1)) + second(torch.ones(1, 1))).mean())
    assert (first.w.item(), second.w.item(), loop.history["grad_norm"]) == (-7.0, 0.0, [7.0])


def test_what_it_spoils_never_reaches_the_weights() -> None:
    model = Probe(1)
    loop = sf.Loop(
        model,
        torch.optim.SGD(model.parameters(), lr=1.0),
        before_update=lambda loop: gradient(model).fill_(float("nan")),
    )
    with pytest.raises(NonFiniteError), loop.step() as step:
        step.backward(model(torch.ones(1, 1)).mean())
    assert model.w.item() == 0.0


def test_when_it_fails_the_window_starts_anew() -> None:
    model = make_model()
    before = weights(model)

    def fail(loop: sf.Loop) -> None:
        raise KeyError

    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), before_update=fail)
    x, y = make_batches([4])[0]
    with pytest.raises(KeyError), loop.step() as step:
        step.backward(F.cross_entropy(model(x), y))
    assert all(p.grad is None for p in model.parameters())
    assert all_equal(before, weights(model))


def test_each_optimizer_may_have_its_own() -> None:
    a, b = Probe(1), Probe(1)
    sgd = torch.optim.SGD
    optimizers = {"a": sgd(a.parameters(), lr=1.0), "b": sgd(b.parameters(), lr=1.0)}
    loop = sf.Loop({"a": a, "b": b}, optimizers, before_update={"b": lambda loop: gradient(b).mul_(3)})
    for name, model in (("a", a), ("b", b)):
        with loop.step(name) as step:
            step.backward(model(torch.ones(1, 1)).mean())
    assert (a.w.item(), b.w.item()) == (-1.0, -3.0)
    with pytest.raises(TypeError, match="before_update must be a function of the loop"):
        sf.Loop(a, optimizers["a"], before_update=3)  # type: ignore[arg-type]
