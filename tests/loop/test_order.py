"""Checks before updates; limits and schedules as they are meant."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

import surefoot as sf
from surefoot.loop.plan import LoopWarning
from surefoot.loop.update import NonFiniteError
from tests.loop.training import Probe, all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def test_a_loss_that_is_not_finite_never_reaches_the_weights() -> None:
    model = make_model()
    before = weights(model)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1))
    x, y = make_batches([4])[0]
    says = r"update 1 was refused: the loss is nan.*weights are those of update 0"
    with pytest.raises(NonFiniteError, match=says), loop.step() as step:
        step.backward(F.cross_entropy(model(x), y) * float("nan"))
    assert all_equal(before, weights(model))
    assert all(p.grad is None for p in model.parameters())
    assert (loop.num_updates, loop.num_skipped) == (0, 1)


def test_a_gradient_that_is_not_finite_never_reaches_the_weights() -> None:
    model = Probe(2)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), clip_norm=1.0)
    with pytest.raises(NonFiniteError, match="NaN or Inf in 1 gradients"), loop.step() as step:
        step.backward(model.w.sqrt().sum())  # finite at 0, its slope is not
    assert model.w.tolist() == [0.0, 0.0]


def test_skipped_windows_are_counted_apart_and_move_no_schedule() -> None:
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = LambdaLR(optimizer, lambda update: 0.9**update)
    loop = sf.Loop(model, optimizer, scheduler=schedule, on_nonfinite="skip")
    batches = make_batches([4] * 6)
    for i in (2, 4):
        batches[i] = (batches[i][0] * float("nan"), batches[i][1])
    with pytest.warns(LoopWarning, match="update 3 was left out: the loss is nan") as told:
        for x, y in loop.batches(batches):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
    assert len(told) == 1
    assert (loop.num_updates, loop.num_skipped, schedule.last_epoch) == (4, 2, 4)
    assert all(torch.isfinite(p).all() for p in model.parameters())
    assert [row["update"] for row in loop.history] == [1, 2, 3, 4]
    assert loop.history["lr"] == pytest.approx([0.1 * 0.9**update for update in range(4)])  # that each was applied with


def test_a_limit_is_about_the_true_gradient_in_fp16() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), precision="fp16", clip_norm=1.0)
    with loop.step() as step:
        step.backward(model(torch.full((1, 1), 0.5)).mean())
    assert model.weight.item() == -0.5


def test_overflow_in_fp16_backs_off_and_moves_no_schedule() -> None:
    model = nn.Linear(1, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = LambdaLR(optimizer, lambda update: 1.0)
    loop = sf.Loop(model, optimizer, scheduler=schedule, precision="fp16")
    for _ in range(4):
        with loop.step() as step:  # 4 times a scale of 32,768, or of 16,384, is beyond half precision
            step.backward(model(torch.full((1, 1), 4.0)).mean())
    assert (loop.num_updates, loop.num_skipped, schedule.last_epoch) == (2, 2, 2)


def test_a_group_may_have_a_limit_of_its_own() -> None:
    model = Probe(2)
    other = Probe(2)
    groups = [{"params": model.parameters()}, {"params": other.parameters(), "clip_norm": 0.25}]
    loop = sf.Loop([model, other], torch.optim.SGD(groups, lr=1.0), clip_norm=1.0)
    with loop.step() as step:
        step.backward((model(torch.tensor([[3.0, 4.0]])) + other(torch.tensor([[0.0, 2.0]]))).mean())
    assert model.w.tolist() == pytest.approx([-0.6, -0.8], abs=1e-5)
    assert other.w.tolist() == pytest.approx([0.0, -0.25], abs=1e-5)


def test_gradients_can_be_limited_one_by_one() -> None:
    model = Probe(2)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), clip_value=0.5)
    with loop.step() as step:
        step.backward(model(torch.tensor([[3.0, 0.25]])).mean())
    assert model.w.tolist() == [-0.5, -0.25]


def test_a_broken_backward_leaves_nothing_in_the_window() -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), accumulate=2)
    x, y = make_batches([4])[0]
    with pytest.raises(KeyError), loop.step(weight=4) as step:
        step.backward(F.cross_entropy(model(x), y))
        raise KeyError
    assert all(p.grad is None for p in model.parameters())
    for _ in range(2):
        with loop.step(weight=4) as step:
            step.backward(F.cross_entropy(model(x), y))
    assert loop.num_updates == 1


def test_a_micro_batch_without_backward_counts_nothing() -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1))
    with loop.step():
        pass
    assert (loop.num_updates, loop.num_skipped) == (0, 0)


def test_a_window_left_open_is_applied_before_the_next_batches() -> None:
    model = Probe(3)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=2)
    for x in loop.batches([torch.eye(3)[:1]]):
        with loop.step() as step:
            step.backward(model(x).mean())
        break
    assert loop.num_updates == 0
    assert list(loop.batches([])) == []
    assert model.w.tolist() == [-1.0, 0.0, 0.0]


@pytest.mark.bad_program
@pytest.mark.parametrize(("kept", "lost"), [(0, 3), (3, 0)])
def test_a_forgotten_layer_is_said(kept: int, lost: int) -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model[kept].parameters(), lr=0.1), watch=False)
    x, y = make_batches([4])[0]
    says = rf"2 parameters got gradients and are in no optimizer: {lost}\.weight, {lost}\.bias\. They will never be"
    with pytest.warns(LoopWarning, match=says), loop.step() as step:
        step.backward(F.cross_entropy(model(x), y))


def test_a_frozen_part_is_not_said() -> None:
    model = make_model()
    model[0].requires_grad_(False)
    loop = sf.Loop(model, torch.optim.SGD(model[3].parameters(), lr=0.1))
    x, y = make_batches([4])[0]
    with loop.step() as step:
        step.backward(F.cross_entropy(model(x), y))
    assert loop.num_updates == 1
