"""A window in which nothing counts is told and counted; a run of nothing else is an error."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import surefoot as sf
from surefoot.loop.plan import LoopWarning, NothingUpdatedError
from tests.loop.training import Batch, make_batches, make_model

NONE = (torch.ones(3, 4), torch.full((3,), -100))


def train(batches: list[Batch], accumulate: int, weight: float | None = None) -> sf.Loop:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), accumulate=accumulate, progress=False, log=None)
    for x, y in loop.batches(batches, epochs=2):
        with loop.step(weight=weight) as step:
            step.backward(F.cross_entropy(model(x), y))
    return loop


@pytest.mark.parametrize("accumulate", [1, 2])
def test_empty_windows_are_told_once_and_counted(accumulate: int) -> None:
    batches = [NONE] * accumulate + make_batches([4] * accumulate)
    with pytest.warns(LoopWarning, match="update 1 was left out, because none of its items counted") as told:
        loop = train(batches, accumulate)
    assert (len(told), loop.num_updates, loop.num_skipped, loop.num_empty) == (1, 2, 2, 2)


@pytest.mark.parametrize(("accumulate", "weight"), [(1, None), (2, None), (1, 0), (3, 0)])
def test_a_run_without_any_update_is_an_error(accumulate: int, weight: float | None) -> None:
    with (
        pytest.warns(LoopWarning, match="none of its items counted"),
        pytest.raises(NothingUpdatedError, match=r"no update was made: of .* had no item that counts"),
    ):
        train([NONE, NONE], accumulate, weight)


def test_a_run_of_losses_that_are_not_finite_is_an_error() -> None:
    model = make_model()
    loop = sf.Loop(
        model, torch.optim.SGD(model.parameters(), lr=0.1), on_nonfinite="skip", progress=False, watch=False, log=None
    )
    with pytest.warns(LoopWarning), pytest.raises(NothingUpdatedError, match="of 2 windows, 2 were not finite"):
        for x, _ in loop.batches(make_batches([4, 4])):
            with loop.step() as step:
                step.backward(model(x).mean() * float("nan"))


def test_an_empty_window_is_not_told_by_a_loss_that_is_nan_for_another_reason() -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), progress=False, watch=False, log=None)
    with pytest.raises(FloatingPointError, match="the loss is nan"), loop.step() as step:
        step.backward(model(torch.ones(3, 4)).log().mean() * float("nan"))
