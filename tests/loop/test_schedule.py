"""Our schedules: their rates, their states, their lengths."""

import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.optim import SGD, lr_scheduler
from torch.optim.lr_scheduler import LambdaLR, LRScheduler
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.loop import schedule

MAKERS: dict[str, Callable[[SGD], LambdaLR]] = {
    "warmup_cosine": lambda o: schedule.warmup_cosine(o, warmup=4, updates=20, floor=0.1),
    "warmup_constant_decay": lambda o: schedule.warmup_constant_decay(o, warmup=4, updates=20, decay=8, floor=0.1),
    "inverse_time": lambda o: schedule.inverse_time(o, scale=5, power=0.5, warmup=4),
    "step_decay": lambda o: schedule.step_decay(o, at=[6, 15], factor=0.5),
}


def optimizer(*rates: float) -> SGD:
    return SGD([{"params": [torch.nn.Parameter(torch.ones(1))], "lr": rate} for rate in rates or (1.0,)])


def rates(scheduler: LRScheduler, num: int) -> list[list[float]]:
    """The rates of all groups for the next `num` updates."""
    found = []
    for _ in range(num):
        found.append([float(group["lr"]) for group in scheduler.optimizer.param_groups])
        scheduler.optimizer.step()
        scheduler.step()
    return found


def first(scheduler: LRScheduler, num: int) -> list[float]:
    return [row[0] for row in rates(scheduler, num)]


def test_warmup_then_cosine() -> None:
    found = first(schedule.warmup_cosine(optimizer(), warmup=3, updates=7, floor=0.2), 9)
    assert found == pytest.approx([0.25, 0.5, 0.75, 1.0, 0.2 + 0.8 * 0.8535534, 0.6, 0.2 + 0.8 * 0.1464466, 0.2, 0.2])


def test_without_warmup_it_is_the_cosine_of_torch() -> None:
    ours = first(schedule.warmup_cosine(optimizer(), warmup=0, updates=50), 50)
    assert ours == pytest.approx(first(lr_scheduler.CosineAnnealingLR(optimizer(), T_max=50), 50))


def test_warmup_then_constant_then_decay() -> None:
    found = first(schedule.warmup_constant_decay(optimizer(), warmup=1, updates=7, decay=4, floor=0.2), 9)
    assert found == pytest.approx([0.5, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2, 0.2])


def test_inverse_time() -> None:
    assert first(schedule.inverse_time(optimizer(), scale=2), 5) == pytest.approx([1, 2 / 3, 1 / 2, 2 / 5, 1 / 3])
    root = first(schedule.inverse_time(optimizer(), scale=1, power=0.5, warmup=1), 5)
    assert root == pytest.approx([0.5, 1, 2**-0.5, 3**-0.5, 0.5])


def test_step_decay_is_the_multi_step_schedule_of_torch() -> None:
    ours = first(schedule.step_decay(optimizer(), at=[2, 5], factor=0.1), 8)
    assert ours == pytest.approx(first(lr_scheduler.MultiStepLR(optimizer(), [2, 5], gamma=0.1), 8))


@given(warmup=st.integers(0, 40), length=st.integers(1, 60), floor=st.floats(0, 0.9), data=st.data())
def test_rates_rise_to_the_full_rate_then_fall_to_the_floor(
    warmup: int, length: int, floor: float, data: st.DataObject
) -> None:
    updates = warmup + length
    decay = data.draw(st.integers(1, length))
    for scheduler in (
        schedule.warmup_cosine(optimizer(), warmup=warmup, updates=updates, floor=floor),
        schedule.warmup_constant_decay(optimizer(), warmup=warmup, updates=updates, decay=decay, floor=floor),
    ):
        found = first(scheduler, updates + 3)
        assert all(rate > 0 for rate in found[:updates])
        assert found[: warmup + 1] == sorted(found[: warmup + 1])
        assert found[warmup:] == sorted(found[warmup:], reverse=True)
        assert found[warmup] == max(found) == pytest.approx(1.0)
        assert found[updates:] == pytest.approx([floor] * 3)


@pytest.mark.parametrize("name", MAKERS)
def test_every_group_keeps_its_share(name: str) -> None:
    one, two = (first(MAKERS[name](optimizer(rate)), 25) for rate in (0.1, 0.02))
    assert rates(MAKERS[name](optimizer(0.1, 0.02)), 25) == [list(row) for row in zip(one, two, strict=True)]


@pytest.mark.parametrize("name", MAKERS)
def test_a_saved_schedule_goes_on(name: str) -> None:
    whole = rates(MAKERS[name](optimizer(0.1, 0.02)), 25)
    saved = MAKERS[name](optimizer(0.1, 0.02))
    assert rates(saved, 9) == whole[:9]
    file = io.BytesIO()
    torch.save({"optimizer": saved.optimizer.state_dict(), "scheduler": saved.state_dict()}, file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    resumed = MAKERS[name](optimizer(0.1, 0.02))
    resumed.optimizer.load_state_dict(state["optimizer"])
    resumed.load_state_dict(state["scheduler"])
    assert rates(resumed, 16) == whole[9:]


OTHERS: list[tuple[Callable[[SGD], Any], int | None]] = [
    (MAKERS["warmup_cosine"], 20),
    (MAKERS["warmup_constant_decay"], 20),
    (MAKERS["inverse_time"], None),
    (MAKERS["step_decay"], 15),
    (lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=9), 9),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 9), 9),
    (lambda o: lr_scheduler.LinearLR(o, total_iters=9), 9),
    (lambda o: lr_scheduler.PolynomialLR(o, total_iters=9), 9),
    (lambda o: lr_scheduler.MultiStepLR(o, [3, 9]), 9),
    (lambda o: lr_scheduler.StepLR(o, 3), None),
    (lambda o: lr_scheduler.LambdaLR(o, lambda update: 1.0), None),
    (lambda o: lr_scheduler.ReduceLROnPlateau(o), None),
    (lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.LinearLR(o, total_iters=3), lr_scheduler.CosineAnnealingLR(o, 6)], milestones=[3]), 9),
    (lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.LinearLR(o, total_iters=3), MAKERS["step_decay"](o)], milestones=[3]), 18),
    (lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.LinearLR(o, total_iters=3), lr_scheduler.PolynomialLR(o, total_iters=9)]), 9),
]  # fmt: skip


@pytest.mark.parametrize(("make", "length"), OTHERS)
def test_lengths(make: Callable[[SGD], Any], length: int | None) -> None:
    scheduler = make(optimizer())
    assert schedule.length_of(scheduler) == length
    for planned in (9, 15, 18, 20):
        if length in (planned, None):
            assert schedule.mismatch(scheduler, planned) is None
    assert (schedule.mismatch(scheduler, 5) is None) == (length is None)


def test_a_schedule_that_does_not_fit_is_named() -> None:
    cosine = MAKERS["warmup_cosine"](optimizer())
    told = "sf.schedule.warmup_cosine is made for 20 updates, but "
    assert schedule.mismatch(cosine, 15) == told + "15 are planned: its end is never reached"
    assert schedule.mismatch(cosine, 50) == told + "50 are planned: the last 30 run past its end"
    torchs = lr_scheduler.CosineAnnealingLR(optimizer(), 9)
    assert schedule.mismatch(torchs, 10) is None
    assert schedule.mismatch(torchs, 11) == (
        "CosineAnnealingLR is made for 9 updates, but 11 are planned: the last 2 run past its end"
    )


def test_a_rate_that_stays_may_stay_for_long() -> None:
    o = optimizer()
    steps, linear = MAKERS["step_decay"](o), lr_scheduler.LinearLR(o, total_iters=3)
    cosine = lr_scheduler.CosineAnnealingLR(o, 6)
    for fits in (
        steps, linear, lr_scheduler.MultiStepLR(o, [3, 9]), lr_scheduler.ChainedScheduler([linear, steps]),
        lr_scheduler.SequentialLR(o, [cosine, steps], milestones=[6]),
    ):  # fmt: skip
        assert schedule.mismatch(fits, 1000) is None
    assert schedule.mismatch(lr_scheduler.ChainedScheduler([linear, cosine]), 1000) is not None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: schedule.warmup_cosine(o, warmup=0.1, updates=9), TypeError, "warmup must be a whole number of upd"),
        (lambda o: schedule.warmup_cosine(o, warmup=-1, updates=9), ValueError, "warmup must be at least 0, got -1"),
        (lambda o: schedule.warmup_cosine(o, warmup=9, updates=9), ValueError, "got 9 with warmup 9"),
        (lambda o: schedule.warmup_cosine(o, warmup=1, updates=9, floor=1e-4 + 1), ValueError, "floor must be a share"),
        (lambda o: schedule.warmup_constant_decay(o, warmup=5, updates=9, decay=5), ValueError, "warmup 5 and decay 5"),
        (lambda o: schedule.inverse_time(o, scale=0), ValueError, "scale must be at least 1, got 0"),
        (lambda o: schedule.inverse_time(o, scale=5, power=0), ValueError, "power must be a number above 0, got 0"),
        (lambda o: schedule.step_decay(o, at=[]), ValueError, "at must hold rising numbers of updates"),
        (lambda o: schedule.step_decay(o, at=[5, 3]), ValueError, r"such as \[1000, 2000\], got \[5, 3\]"),
        (lambda o: schedule.step_decay(o, at=[5], factor=1.0), ValueError, "factor must be a share of the rate"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(optimizer())


def train(name: str, epochs: int, *lrs: float) -> list[str]:
    """What the sanitizer finds in epochs of five updates."""
    torch.manual_seed(0)
    x = torch.randn(80, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True)
    model = torch.nn.Linear(4, 1)
    groups = [{"params": [p], "lr": lr} for p, lr in zip(model.parameters(), lrs, strict=True)]
    opt = SGD(groups)
    with sf.watch(model, opt) as watch:
        scheduler = MAKERS[name](opt)
        for _ in range(epochs):
            for inputs, targets in loader:
                opt.zero_grad()
                torch.nn.functional.mse_loss(model(inputs), targets).backward()
                opt.step()
                scheduler.step()
    return [finding.rule for finding in watch.findings]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("epochs", [2, 4, 8])
def test_the_sanitizer_is_silent(name: str, epochs: int) -> None:
    assert train(name, epochs, 0.1, 0.02) == []


@pytest.mark.parametrize("name", ["warmup_cosine", "warmup_constant_decay", "step_decay"])
def test_the_sanitizer_knows_their_lengths(name: str) -> None:
    assert train(name, 1, 0.1, 0.1) == ["schedule-never-finishes"]
