"""Several backwards in one step add up, and each is divided by its own items."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from tests.loop.training import Batch, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def both(model: nn.Module, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Means over the targets that count, and over all outputs: their numbers do not grow alike."""
    outputs = model(x)
    return F.cross_entropy(outputs, y, ignore_index=1), outputs.pow(2).mean()


def of_one_batch(batches: list[Batch], lr: float = 0.5) -> nn.Module:
    model = make_model(dtype=torch.float64)
    first, second = both(model, torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches]))
    (first + second).backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= lr * p.grad
    return model


def make_loop(accumulate: int, checkpoint: Path | None = None) -> tuple[nn.Module, sf.Loop]:
    model = make_model(dtype=torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    return model, sf.Loop(model, optimizer, accumulate=accumulate, progress=False, log=None, checkpoint=checkpoint)


@pytest.mark.parametrize("sizes", [(6,), (7, 5, 3, 1)])
def test_each_is_divided_by_its_own_items(sizes: tuple[int, ...]) -> None:
    batches = make_batches(sizes, dtype=torch.float64)
    model, loop = make_loop(len(sizes))
    for x, y in loop.batches(batches):
        with loop.step() as step:
            first, second = both(model, x, y)
            step.backward(first, retain_graph=True)
            step.backward(second)
    expected = of_one_batch(batches)
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-10, atol=1e-12)
    whole = both(
        make_model(dtype=torch.float64), torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches])
    )
    assert loop.history[0]["loss"] == pytest.approx((whole[0] + whole[1]).item(), rel=1e-10)
    assert loop.num_updates == 1


def test_each_may_have_a_weight_of_its_own() -> None:
    batches = make_batches((7, 5, 1), dtype=torch.float64)
    model, loop = make_loop(3)
    for x, y in loop.batches(batches):
        with loop.step(weight=int((y != 1).sum())) as step:
            first, second = both(model, x, y)
            step.backward(first, retain_graph=True)
            step.backward(second, weight=len(y))
    torch.testing.assert_close(weights(model), weights(of_one_batch(batches)), rtol=1e-10, atol=1e-12)


def test_a_step_may_leave_the_second_out() -> None:
    """It is then a mean over the items of those steps that have it."""
    batches = make_batches((4, 4), dtype=torch.float64)
    model, loop = make_loop(2)
    for i, (x, _) in enumerate(loop.batches(batches)):
        with loop.step() as step:
            step.backward(model(x).mean())
            if i == 1:
                step.backward(model(x).pow(2).mean())
    expected = make_model(dtype=torch.float64)
    (expected(torch.cat([x for x, _ in batches])).mean() + expected(batches[1][0]).pow(2).mean()).backward()
    with torch.no_grad():
        for p in expected.parameters():
            p -= 0.5 * p.grad
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-10, atol=1e-12)


def test_a_checkpoint_inside_a_window_has_both(tmp_path: Path) -> None:
    batches = make_batches((7, 5, 3, 1), dtype=torch.float64)
    for is_resumed in (False, True):
        model, loop = make_loop(4, tmp_path)
        assert loop.resume() == is_resumed
        for i, (x, y) in enumerate(loop.batches(batches)):
            with loop.step() as step:
                first, second = both(model, x, y)
                step.backward(first, retain_graph=True)
                step.backward(second)
            if i == 1 and not is_resumed:
                loop.save()
                break
    torch.testing.assert_close(weights(model), weights(of_one_batch(batches)), rtol=1e-10, atol=1e-12)
