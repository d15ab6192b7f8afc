"""Samples that wait to be read with others: told as if they had been read at once."""

import gc
import math
import os
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.facts import SignalFacts
from surefoot.rules.catalogue import catalogue
from surefoot.runlog import Run
from surefoot.sanitizer import LazyLog, Sanitizer
from surefoot.signals.buffer import MOST_SLOTS
from surefoot.signals.clipping import kept
from surefoot.signals.gauge import Gauge
from surefoot.signals.rhythm import Rhythm
from tests.signals.training import Measured, measuring


class Every:
    """A rhythm of so many of the steps that `train` takes."""

    num_steps = 0
    has_credit = False

    def __init__(self, spacing: int) -> None:
        self.spacing = spacing
        Every.num_steps = 0

    def spent(self, seconds: float, now: float, ran: float = 1.0) -> None:
        pass

    @property
    def due(self) -> float:
        return 0.0 if (Every.num_steps + 1) % self.spacing == 0 else math.inf


@pytest.fixture(autouse=True)
def sample_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step of which is a record, and a machine that is stopped for a moment changes nothing."""
    monkeypatch.setattr("surefoot.signals.subject.sample_rhythm", lambda overhead, first: Rhythm(1.0, always=True))
    monkeypatch.setattr("surefoot.signals.subject.PATIENCE_SECONDS", 1e6)
    record_every(None, monkeypatch)


def record_every(spacing: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(overhead: float, first: int) -> Any:
        return Rhythm(0.0, num_first=1) if spacing is None else Every(spacing)

    monkeypatch.setattr("surefoot.signals.subject.record_rhythm", made)


def small(width: int = 16, dtype: torch.dtype = torch.float32) -> nn.Sequential:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 600), nn.ReLU(), nn.Linear(600, 1))
    return model.to(dtype)


def train(model: nn.Module, optimizer: Any, num_steps: int, *, clip: float | None = 1.0) -> None:
    dtype = next(model.parameters()).dtype
    for _ in range(num_steps):
        optimizer.zero_grad()
        model(torch.randn(32, 8, dtype=dtype)).square().mean().backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        Every.num_steps += 1


def waiting(measured: Measured) -> list[int]:
    return [len(subject.waiting) for subject in measured.signals.subjects.values()]


def timeless(rows: dict[int, dict[str, float]]) -> dict[int, dict[str, float]]:
    clocks = ("step_seconds", "items_per_second", "memory_bytes")
    return {step: {name: value for name, value in row.items() if name not in clocks} for step, row in rows.items()}


@pytest.mark.parametrize(
    ("dtype", "clip", "spacing"),
    [(torch.float32, 1e-3, None), (torch.float32, None, 7), (torch.float64, 1e-3, 7), (torch.bfloat16, 1e-3, 7)],
)
def test_values_are_bitwise_those_that_are_read_at_once(
    dtype: torch.dtype, clip: float | None, spacing: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> tuple[dict[int, dict[str, float]], list[SignalFacts]]:
        record_every(spacing, monkeypatch)
        model = small(96, dtype)
        with measuring() as measured:
            train(model, torch.optim.AdamW(model.parameters(), lr=0.01), 24, clip=clip)
        return timeless(measured.scalars), measured.facts

    together, facts = told()
    monkeypatch.setattr("surefoot.signals.buffer.MOST_SLOTS", 1)
    alone, facts_alone = told()
    assert list(together) == list(alone) == list(range(1, 25))
    assert together == alone
    pairs = zip(together.values(), alone.values(), strict=True)
    assert all(list(a) == list(b) for a, b in pairs)  # also in the same order
    assert [f.index for f in facts] == [f.index for f in facts_alone] and len(facts) == (1 if spacing is None else 4)
    for a, b in zip(facts, facts_alone, strict=True):
        assert (a.losses, a.highest_grad_norm, a.descent, a.overshoot) == (
            b.losses, b.highest_grad_norm, b.descent, b.overshoot,
        )  # fmt: skip
        assert a.params == b.params


def test_they_are_read_when_the_slots_are_full() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 2)  # the first step is a record; there is no pace yet
        assert list(measured.scalars) == [1] and waiting(measured) == [1]
        train(model, optimizer, MOST_SLOTS - 2)
        assert list(measured.scalars) == [1] and waiting(measured) == [MOST_SLOTS - 1]
        train(model, optimizer, 1)
        assert list(measured.scalars) == list(range(1, MOST_SLOTS + 2)) and waiting(measured) == [0]


def test_they_are_read_when_the_oldest_has_waited_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 4)
        (subject,) = measured.signals.subjects.values()
        assert len(subject.waiting) == 3
        subject.read_by = 0.0
        train(model, optimizer, 1)
        assert not subject.waiting and list(measured.scalars) == [1, 2, 3, 4, 5]
        assert subject.read_by == math.inf
        monkeypatch.setattr("surefoot.signals.subject.PATIENCE_SECONDS", 1e-9)  # a step takes longer
        train(model, optimizer, 1)
        assert not subject.waiting and 6 in measured.scalars


def test_also_at_a_step_that_is_not_sampled() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 4)
        (subject,) = measured.signals.subjects.values()
        subject.samples.due, subject.is_armed, subject.read_by = math.inf, False, 0.0
        train(model, optimizer, 1)
        assert list(measured.scalars) == [1, 2, 3, 4]


def test_a_record_comes_after_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    record_every(5, monkeypatch)
    order: list[int | str] = []
    model = small()
    with measuring() as measured:
        row_for = measured.signals.teller.row_for
        assert row_for is not None

        def noting(optimizer: int, step: int) -> Any:
            write = row_for(optimizer, step)
            return lambda values: (order.append(step), write(values))

        measured.signals.teller.row_for = noting
        emit = measured.emit
        measured.emit = lambda record: (  # type: ignore[method-assign]
            order.append(f"record {record.index}") if isinstance(record, SignalFacts) else None,
            emit(record),
        )[1]
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 13)
    steps = [entry for entry in order if isinstance(entry, int)]
    assert steps == sorted(steps) and set(steps) == set(range(1, 14))
    for facts in measured.facts[1:]:
        before = order[: order.index(f"record {facts.index}")]
        assert set(range(1, facts.index + 1)) <= set(before)
        assert len(facts.losses) == 5  # all since the record before have been heard
        assert facts.overshoot is not None  # the slope along the update of a sample that had waited


def test_the_end_of_a_watch_tells_what_waits() -> None:
    model = small()
    with measuring() as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 5)
        assert list(measured.scalars) == [1]
    assert list(measured.scalars) == [1, 2, 3, 4, 5]
    assert not measured.signals.subjects


def test_no_more_memory_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    params = {0: nn.Parameter(torch.ones(4096)), 1: nn.Parameter(torch.ones(10))}
    slot = 2 * 4 * (4096 + 512)
    assert Gauge(params, 3 * slot + 5).num_slots == 3
    assert Gauge(params, 5).num_slots == 1
    assert Gauge(params).num_slots == MOST_SLOTS
    monkeypatch.setattr("surefoot.signals.subject.MOST_BYTES", 1)
    model = small()
    with measuring() as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
        assert list(measured.scalars) == [1, 2, 3]


def test_parameters_that_change_in_between() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 4)
        norm = float(model[0].weight.detach().norm())
        model[2].weight.requires_grad_(False)
        model[0].weight.data = 2 * model[0].weight.data  # the same shape elsewhere: nothing has to be made anew
        train(model, optimizer, 1)
        assert list(measured.scalars) == [1, 2, 3, 4]
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(3))]})
        train(model, optimizer, 1)
        assert list(measured.scalars) == [1, 2, 3, 4, 5]
    assert list(measured.scalars) == [1, 2, 3, 4, 5, 6]
    frozen = ["param_norm/2.weight" in row for row in measured.scalars.values()]
    assert frozen == [True, True, True, True, False, False]
    assert measured.scalars[5]["param_norm/0.weight"] == pytest.approx(2 * norm, rel=1e-5)
    assert len(measured.scalars[6]) == len(measured.scalars[5]) + 3


def test_an_optimizer_that_is_gone() -> None:
    with measuring() as measured:
        model = small()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        train(model, optimizer, 4)
        alive = [weakref.ref(param) for param in model.parameters()]
        alive += [weakref.ref(param.grad) for param in model.parameters() if param.grad is not None]
        del model, optimizer
        gc.collect()
        assert not any(ref() is not None for ref in alive)
        assert not measured.signals.subjects and list(measured.scalars) == [1]
        other = nn.Linear(8, 1)
        train(other, torch.optim.SGD(other.parameters(), lr=0.01), 1)
        assert list(measured.scalars)[:5] in ([1, 2, 3, 4, 5], [1, 5, 2, 3, 4])
    assert set(measured.scalars) == {1, 2, 3, 4, 5}


def test_a_clip_whose_norm_is_written_to_after_the_step() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(32, 8)).square().mean().backward()
            total = nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
            total.zero_()
    assert all(0 < row["clip_factor"] < 1 for row in measured.scalars.values())


def test_a_number_on_a_device_is_not_read() -> None:
    assert kept(torch.tensor(2.5)) == 2.5
    far = torch.ones((), device="meta")
    copy = kept(far)
    assert isinstance(copy, torch.Tensor) and copy is not far


def test_a_run_that_ends_in_the_middle_of_a_step() -> None:
    """What waits is told; the step that is under way is not measured, and the next one is whole."""
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 4)
        hook = optimizer.register_step_pre_hook(lambda *args: measured.signals.tell_all())
        train(model, optimizer, 1)
        hook.remove()
        assert list(measured.scalars) == [1, 2, 3, 4]
        train(model, optimizer, 1)
    assert list(measured.scalars) == [1, 2, 3, 4, 6]
    row = measured.scalars[6]
    assert row["update_norm"] == pytest.approx(0.01 * row["grad_norm"] * row["clip_factor"], rel=1e-3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_tells_nothing(tmp_path: Path) -> None:
    model = small()
    with measuring() as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 4)
        child = os.fork()
        if child == 0:
            measured.stop()
            os._exit(len(measured.scalars))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1  # the record
    assert list(measured.scalars) == [1, 2, 3, 4]


# --- in the log


def test_rows_have_the_step_and_the_time_of_their_own_step(tmp_path: Path) -> None:
    run = Run(tmp_path / "measured", "train.py", pytest.fail)
    sanitizer = Sanitizer(
        catalogue().values(), log=LazyLog(run), on_failure=lambda name, error: pytest.fail(f"{name}: {error!r}")
    )
    sanitizer.start()
    model = small()
    train(model, torch.optim.SGD(model.parameters(), lr=0.01), 30)
    run.close()  # before the watch ends
    sanitizer.finish()
    series = sf.open(tmp_path)["measured"].scalars("param_norm/2.weight")
    losses = sf.open(tmp_path)["measured"].scalars("loss")
    assert list(series.steps) == list(range(1, 31))
    assert sorted(series.times) == list(series.times) and len(set(series.times)) == 30
    starts = dict(zip(losses.steps, losses.times, strict=True))
    for step, time in zip(series.steps, series.times, strict=True):
        if step in starts:
            assert starts[step] <= time <= starts.get(step + 1, math.inf)


def test_rows_of_a_loop_have_its_count(tmp_path: Path) -> None:
    model = small()
    batches = [(torch.randn(32, 8), torch.zeros(32, 1)) for _ in range(12)]
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), log=tmp_path, clip_norm=1.0) as loop:
        for x, y in loop.batches(batches):
            with loop.step() as step:
                step.backward(nn.functional.mse_loss(model(x), y))
    (run,) = sf.open(tmp_path)
    assert list(run.scalars("param_norm/0.weight").steps) == list(range(1, 13))
    assert list(run.scalars("grad_norm").steps) == list(range(1, 13))  # written by the loop, once
