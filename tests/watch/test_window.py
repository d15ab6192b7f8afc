"""Whatever a loop does differently after a long steady stretch is seen as if every window had been armed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from surefoot.facts import StepFacts
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.settings import Settings
from surefoot.watch.window import FIRST_WINDOWS, SAMPLE_LENGTH, Windows

STEADY = 120  # steps before the loop changes its ways: long known by then


class Loop:
    """A plain loop of three calls, each of which can be left out, doubled or swapped."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def clear(self) -> None:
        self.optimizer.zero_grad()

    def backward(self, scale: float = 1.0, offset: float = 0.0) -> None:
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True)) * scale + offset
        loss.backward()

    def step(self) -> None:
        self.optimizer.step()

    def steady(self) -> None:
        self.clear()
        self.backward()
        self.step()


def no_clear(loop: Loop) -> None:
    loop.backward()
    loop.step()


def clear_too_late(loop: Loop) -> None:
    loop.backward()
    loop.clear()
    loop.step()


def clear_at_both_ends(loop: Loop) -> None:
    loop.clear()
    loop.backward()
    loop.clear()
    loop.step()


def step_twice(loop: Loop) -> None:
    loop.steady()
    loop.step()


def not_finite(loop: Loop) -> None:
    loop.clear()
    loop.backward(scale=float("nan"))
    loop.step()


def not_finite_now_and_then(loop: Loop) -> None:
    loop.clear()
    loop.backward(offset=float("nan"))  # the weights survive it
    loop.step()
    loop.steady()
    loop.steady()


def micro_batches_lost(loop: Loop) -> None:
    for _ in range(3):
        loop.clear()
        loop.backward(0.25)
    loop.step()


def healthy_accumulation(loop: Loop) -> None:
    loop.clear()
    for _ in range(4):
        loop.backward(0.25)
    loop.step()


def watch(
    deviation: Callable[[Loop], None], times: int, settings: Settings | None = None
) -> tuple[dict[str, tuple[int, int]], int, list[Any]]:
    """Rules with the step and the count of what they found, the number of steps, and all records of steps."""
    records: list[Any] = []
    failures: list[str] = []
    sanitizer = Sanitizer(
        catalogue().values(),
        settings=settings,
        on_record=records.append,
        on_failure=lambda name, error: failures.append(f"{name}: {error!r}"),
    )
    sanitizer.start()
    try:
        loop = Loop()
        for _ in range(STEADY):
            loop.steady()
        for _ in range(times):
            deviation(loop)
        for _ in range(3):
            loop.steady()
    finally:
        sanitizer.finish()
    assert not failures, failures
    found = {f.rule: (f.step, f.count) for f in sanitizer.judge.findings if f.severity != "note"}
    return found, sanitizer.recorder.num_steps, [r for r in records if isinstance(r, StepFacts)]


DEVIATIONS = [
    no_clear, clear_too_late, clear_at_both_ends, step_twice, not_finite, not_finite_now_and_then,
    micro_batches_lost, healthy_accumulation,
]  # fmt: skip


@pytest.mark.parametrize("times", [1, 4, 40])
@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_the_same_is_found_as_with_every_window_armed(deviation: Callable[[Loop], None], times: int) -> None:
    usual = watch(deviation, times)
    thorough = watch(deviation, times, Settings(thorough=True))
    assert usual[1] == thorough[1]
    assert usual[0] == thorough[0]
    last = [[(g.sources, g.used_by, g.discarded) for g in records[-1].gradients] for records in (usual[2], thorough[2])]
    assert last[0] == last[1]


def test_every_window_is_armed_while_findings_may_stop_the_program() -> None:
    sanitizer = Sanitizer(catalogue().values(), stop_on="error")
    sanitizer.start()
    loop = Loop()
    for _ in range(100):
        loop.steady()
        assert sanitizer.recorder.tap.armed
    sanitizer.finish()


def test_a_part_frozen_on_the_way_is_seen_soon() -> None:
    """Freezing makes no call that anybody hears."""
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    loop.optimizer = torch.optim.Adam(loop.model.parameters(), lr=0.01)
    for step in range(80):
        if step == 40:
            loop.model.bias.requires_grad_(False)
        loop.optimizer.zero_grad(set_to_none=False)
        loop.backward()
        loop.step()
    sanitizer.finish()
    assert [finding.rule for finding in sanitizer.judge.findings if finding.severity != "note"] == [
        "frozen-parameter-moves"
    ]


def test_a_loss_that_is_wired_wrongly_later_on_is_found_and_counted() -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(100):
        outputs = model(torch.randn(16, 4))
        outputs = outputs.softmax(1) if step > 40 else outputs
        loss = torch.nn.functional.cross_entropy(outputs, torch.randint(3, (16,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sanitizer.finish()
    (found,) = [finding for finding in sanitizer.judge.findings if finding.severity != "note"]
    assert found.rule == "softmax-before-cross-entropy"
    assert 41 < found.step < 45
    assert found.count == 100 - found.step + 1


def test_a_rate_that_falls_through_zero_by_hand_is_found() -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    for step in range(STEADY):
        loop.optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / 80)
        loop.steady()
    sanitizer.finish()
    (found,) = [finding for finding in sanitizer.judge.findings if finding.rule == "negative-learning-rate"]
    assert found.count >= STEADY - 80 - 2  # the first rate below 0 is the last one above it with another sign


def test_a_rate_that_stays_at_zero_is_found_between_samples() -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    for step in range(150):
        loop.optimizer.param_groups[0]["lr"] = 0.01 if step < 50 else 0.0
        loop.steady()
    sanitizer.finish()
    (found,) = [finding for finding in sanitizer.judge.findings if finding.rule == "zero-learning-rate"]
    assert found.step <= 50 + 64 + 1  # the step after the one that is noticed


def test_a_steady_loop_is_hardly_ever_armed() -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    num_armed = 0
    for _ in range(600):
        loop.steady()
        num_armed += sanitizer.recorder.tap.armed
    sanitizer.finish()
    assert num_armed < FIRST_WINDOWS + 40
    assert sanitizer.recorder.num_steps == 600


def test_clearing_that_leaves_no_trace_is_not_mistaken_for_stale() -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    for i in range(200):
        for p in loop.model.parameters():
            p.grad = None
        for _ in range(2 if i == 150 else 1):
            loop.backward()
        loop.step()
    sanitizer.finish()
    assert not {f.rule for f in sanitizer.judge.findings} & {"stale-gradients", "gradients-cleared-before-step"}


@pytest.mark.parametrize("num_steps", [33, 40, 64, 100, 500])
def test_every_window_is_counted(num_steps: int) -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    loop = Loop()
    for _ in range(num_steps):
        clear_too_late(loop)
    sanitizer.finish()
    counts = {f.rule: f.count for f in sanitizer.judge.findings if f.severity == "error"}
    # The first alone might be a batch dropped on purpose.
    assert counts == {"gradients-cleared-before-step": num_steps - 1}


def test_samples_are_even_and_closer_for_larger_models() -> None:
    spacings = [Windows(1, size).spacing for size in (1_000, 1_000_000, 100_000_000)]
    assert spacings == sorted(spacings, reverse=True)
    windows = Windows(1, 1_000_000)
    sampled = [update for update in range(1, 10_000) if update % windows.spacing < SAMPLE_LENGTH]
    first_half = sum(update < 5_000 for update in sampled)
    assert abs(2 * first_half - len(sampled)) <= 4
