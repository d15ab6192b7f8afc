"""Samples of one step after the other: the weights that the last one left are not looked at again."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from surefoot.signals.gauge import Gauge, Measured

STEPS = (0.5, 0.25, 1.0, 2.0, 0.125)
NUM_ELEMENTS = 16
SIDE = 4.0  # the square root of that: the norm of ones


def sampled(
    gauge: Gauge, param: Tensor, steps: Sequence[float], between: Callable[[int], None] = lambda i: None
) -> None:  # fmt: skip
    """All but the first follow; they are not read."""
    for i, step in enumerate(steps):
        between(i)
        assert gauge.is_current()
        gauge.before(closely=False, follows=i > 0)
        gauge.gradients({}, closely=False)
        with torch.no_grad():
            param.sub_(step)
        gauge.after()


def begin() -> tuple[nn.Parameter, Gauge]:
    param = nn.Parameter(torch.full((NUM_ELEMENTS,), 10.0))
    return param, Gauge({0: param})


def norms(measured: Sequence[Measured]) -> list[float]:
    return [one.norms[0] / SIDE for one in measured]


def updates(measured: Sequence[Measured]) -> list[float]:
    return [one.update_norms[0] / SIDE for one in measured]


def num_looks(gauge: Gauge, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Filled as weights are looked at before an update."""
    found: list[int] = []
    take = gauge._buffer.take_weights
    monkeypatch.setattr(gauge._buffer, "take_weights", lambda: (found.append(1), take()))
    return found


def test_one_look_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    param, gauge = begin()
    looks = num_looks(gauge, monkeypatch)
    sampled(gauge, param, STEPS)
    measured = gauge.read_all()
    assert len(looks) == 1
    assert norms(measured) == pytest.approx([10.0, 9.5, 9.25, 8.25, 6.25])
    assert updates(measured) == pytest.approx(STEPS)


def test_also_across_a_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    param, gauge = begin()
    looks = num_looks(gauge, monkeypatch)
    sampled(gauge, param, STEPS[:2])
    gauge.read_all()
    gauge.before(closely=False, follows=True)
    with torch.no_grad():
        param.sub_(3.0)
    gauge.after()
    (last,) = gauge.read_all()
    assert (len(looks), norms([last]), updates([last])) == (1, pytest.approx([9.25]), pytest.approx([3.0]))


def change_in_place(param: nn.Parameter) -> None:
    with torch.no_grad():
        param.mul_(2.0)


def change_memory(param: nn.Parameter) -> None:
    param.data = param.detach() * 2.0


def change_a_view(param: nn.Parameter) -> None:
    param.detach().mul_(2.0)


@pytest.mark.parametrize("change", [change_in_place, change_memory, change_a_view])
def test_what_the_program_changes_between_is_no_update(change: Callable[[nn.Parameter], None]) -> None:
    param, gauge = begin()
    sampled(gauge, param, (1.0, 1.0, 1.0), lambda i: change(param) if i == 2 else None)
    measured = gauge.read_all()
    assert updates(measured) == pytest.approx([1.0, 1.0, 1.0])
    assert norms(measured) == pytest.approx([10.0, 9.0, 16.0])


def test_a_close_look_finds_changes_that_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a critic whose weights are clamped through `.data` after each step."""
    param, gauge = begin()
    sampled(gauge, param, (1.0,))
    gauge.read_all()
    param.data.mul_(2.0)
    gauge.before(closely=True, follows=True)
    with torch.no_grad():
        param.sub_(1.0)
    gauge.after()
    gauge.read_all()
    looks = num_looks(gauge, monkeypatch)
    sampled(gauge, param, (1.0, 1.0, 1.0), lambda i: param.data.mul_(2.0))
    measured = gauge.read_all()
    assert len(looks) == 3
    assert updates(measured) == pytest.approx([1.0, 1.0, 1.0])
    assert norms(measured) == pytest.approx([34.0, 66.0, 130.0])


def test_a_step_that_failed_half_way() -> None:
    """It was begun, and no update followed."""
    param, gauge = begin()
    sampled(gauge, param, (1.0,))
    gauge.before(closely=False, follows=True)
    change_in_place(param)
    sampled(gauge, param, (1.0, 1.0))
    measured = gauge.read_all()
    assert updates(measured) == pytest.approx([1.0, 1.0, 1.0])
    assert norms(measured) == pytest.approx([10.0, 18.0, 17.0])
