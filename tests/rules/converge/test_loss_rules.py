"""The rules on the course of the loss, on hand-written courses."""

import math
from dataclasses import replace

from surefoot.facts import SignalFacts
from surefoot.rules import History
from surefoot.rules.converge.loss_diverging import check as loss_diverging
from surefoot.rules.converge.loss_flat import check as loss_flat
from surefoot.rules.converge.loss_oscillating import check as loss_oscillating
from surefoot.rules.converge.loss_spike_at_start import check as loss_spike_at_start
from tests.rules.health.course import course, first_heard, layer, param, step


def rising(i: int, grad: float = 1.15, norm: float = 1.02, loss: float = 1.15) -> SignalFacts:
    return step(i, loss**i, param("w", 0.01 * grad**i, norm=norm**i, update=0.01 * norm**i))


def test_loss_diverging() -> None:
    found = first_heard(loss_diverging, course(100, rising))
    assert found is not None and found[0] == 48
    assert "the loss rises" in found[1].message
    assert (
        first_heard(loss_diverging, course(100, lambda i: rising(i, grad=1.0))) is None
    )  # values that grow: Q-learning
    assert first_heard(loss_diverging, course(100, lambda i: rising(i, norm=1.0))) is None
    assert first_heard(loss_diverging, course(100, lambda i: rising(i, loss=1.005))) is None
    assert first_heard(loss_diverging, course(60, lambda i: replace(rising(i), losses=(-(1.2**i),)))) is None
    spikes = course(100, lambda i: replace(rising(i), losses=(100.0 if i == 80 else 1.0,)))
    assert first_heard(loss_diverging, spikes) is None


def test_a_loss_that_rises_in_a_game_is_left_alone() -> None:
    steps = course(60, rising)
    history = History([replace(steps[0], optimizer=2), *steps[:-1]])
    assert not list(loss_diverging.check(steps[-1], history))


def flat(i: int, grad: float = 0.0, trend: float = 0.0, **fields: object) -> SignalFacts:
    return step(i, 0.7 + 0.1 * math.sin(17.0 * i) - trend * i, param("a", grad), param("b", grad), **fields)


def test_loss_flat() -> None:
    found = first_heard(loss_flat, course(250, flat))
    assert found is not None and found[0] == 200
    assert found[1].level is None and "negligible next to the weights" in found[1].message


def test_a_flat_loss_with_gradients_is_noted_with_what_was_found() -> None:
    same = (layer("out", variation=1e-5, is_last=True),)
    found = first_heard(loss_flat, course(250, lambda i: flat(i, 0.1, in_eval=True, activations=same)))
    assert found is not None and found[1].level == "note"
    assert "eval mode" in found[1].message and "out outputs the same" in found[1].message


def test_loss_flat_is_silent() -> None:
    assert first_heard(loss_flat, course(250, lambda i: flat(i, trend=0.001))) is None
    assert first_heard(loss_flat, course(150, flat)) is None
    assert first_heard(loss_flat, course(250, lambda i: replace(flat(i), losses=()))) is None


def jump(i: int, height: float = 100.0, update: float = 5.0, later: float = 10.0) -> SignalFacts:
    return step(i, {1: 1.0, 2: 1.1, 3: height}.get(i, later), param("w", update=update if i == 2 else 0.01))


def test_loss_spike_at_start() -> None:
    found = first_heard(loss_spike_at_start, course(20, jump))
    assert found is not None and found[0] == 7
    assert "from 1 to 100 at update 3" in found[1].message
    assert first_heard(loss_spike_at_start, course(20, lambda i: jump(i, update=0.1))) is None  # a bad batch
    assert first_heard(loss_spike_at_start, course(20, lambda i: jump(i, height=8.0, later=5.0))) is None
    assert first_heard(loss_spike_at_start, course(20, lambda i: jump(i, later=0.5))) is None
    assert first_heard(loss_spike_at_start, course(40, lambda i: jump(i - 20 if i > 20 else 4, later=1.0))) is None


def swing(i: int, size: float = 4.0, uphill: float = 1.0, rate: float = 0.1) -> SignalFacts:
    """From one side of a valley to the other and back; the changes are those that the slopes foretell."""
    loss, before = (1.0 + size * (k % 2) + 0.1 * math.sin(k) for k in (i, i - 1))
    begin = -1.0
    return step(i, loss, param("w"), descent=begin, overshoot=uphill * (2 * (loss - before) + 10.0), lrs=(rate,))


def test_loss_oscillating() -> None:
    found = first_heard(loss_oscillating, course(80, swing))
    assert found is not None and found[0] == 64
    assert "swings between 0.9" in found[1].message and "100%" in found[1].message


def test_loss_oscillating_is_silent() -> None:
    for make in (
        lambda i: swing(i, uphill=-1.0),  # the batches differ, the updates go on downhill
        lambda i: replace(swing(i), overshoot=None),  # not measured
        lambda i: replace(swing(i), update=2 * i),  # not one after the other
        lambda i: swing(i, rate=0.1 if i < 40 else 0.2),  # a schedule
        lambda i: replace(swing(i), losses=(swing(i).losses[0] * 0.98**i,)),  # falls
        lambda i: replace(swing(i), losses=(-swing(i).losses[0],)),
        lambda i: replace(swing(i), losses=(100.0 if i < 8 else swing(i).losses[0],)),  # has learned
        lambda i: swing(i, size=0.1),
        lambda i: replace(swing(i), overshoot=5.0 + math.sin(17.0 * i)),  # not by the updates
        lambda i: replace(swing(i), overshoot=1.0 + 0.1 * (swing(i).overshoot or 0.0)),  # of tasks that take turns
    ):
        assert first_heard(loss_oscillating, course(86, make)) is None


def test_swings_under_clipping_are_those_before_it() -> None:
    clipped = course(80, lambda i: replace(swing(i), clip_factor=1 / i, descent=-1 / i))
    scaled = [replace(facts, overshoot=(facts.overshoot or 0.0) * facts.clip_factor) for facts in clipped]
    assert first_heard(loss_oscillating, scaled) is not None
