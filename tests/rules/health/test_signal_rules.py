"""The rules on signals, on hand-written courses: when they speak, and when they do not.

The number in `first_heard` is the number of updates until detection where every step is sampled.
"""

from dataclasses import replace

import pytest

from surefoot.facts import SignalFacts
from surefoot.rules import History
from surefoot.rules.health.dead_units import check as dead_units
from surefoot.rules.health.exploding_gradients import check as exploding_gradients
from surefoot.rules.health.gradient_spike import check as gradient_spike
from surefoot.rules.health.identical_units import check as identical_units
from surefoot.rules.health.inputs_not_normalised import check as inputs_not_normalised
from surefoot.rules.health.output_collapsed import check as output_collapsed
from surefoot.rules.health.saturated_activations import check as saturated_activations
from surefoot.rules.health.update_too_large import check as update_too_large
from surefoot.rules.health.update_too_small import check as update_too_small
from surefoot.rules.health.vanishing_gradients import check as vanishing_gradients
from tests.rules.health.course import course, first_heard, layer, param, step


def test_identical_units() -> None:
    found = first_heard(
        identical_units, course(5, lambda i: step(i, equal_rows=("a.weight", "b.weight") if i > 3 else ()))
    )
    assert found is not None and found[0] == 4
    assert "a.weight (and 1 more)" in found[1].message


def test_dead_units() -> None:
    found = first_heard(
        dead_units, course(2, lambda i: step(i, activations=(layer("fc", num_dead=14 if i == 2 else 13),)))
    )
    assert found is not None and found[0] == 2
    assert "14 of 16 units of fc (Linear)" in found[1].message
    wide = [step(1, activations=(layer("wide", num_dead=300, num_units=400),))]
    assert first_heard(dead_units, wide) is None, "healthy programs have such layers"
    assert first_heard(dead_units, [step(1, activations=(layer("out", num_dead=16, is_last=True),))]) is None
    assert first_heard(dead_units, [step(1, activations=(layer("small", num_dead=4, num_units=4),))]) is None


def deep(i: int, first: float = 1e-8, moves: float = 1e-9, last: float = 0.1, norm: float = 10.0) -> SignalFacts:
    middle = [param(f"{n}.weight", 1e-3) for n in (1, 2)]
    return step(i, 1.0, param("0.weight", first, norm, moves), *middle, param("3.weight", last))


def test_vanishing_gradients() -> None:
    found = first_heard(vanishing_gradients, course(40, deep))
    assert found is not None and found[0] == 32
    assert "0.weight" in found[1].message and "3.weight" in found[1].message


@pytest.mark.parametrize(
    "make",
    [
        lambda i: deep(i, first=1e-3),  # fainter, not gone
        lambda i: deep(i, moves=1e-3),  # Adam moves it all the same
        lambda i: deep(i, last=0.1 if i < 9 else 1e-7, first=1e-14),  # the last layers have converged, too
        lambda i: deep(i, norm=0.0),  # a branch that begins at zero
        lambda i: replace(deep(i), is_sharded=True),
        lambda i: step(i, 1.0, param("0.weight", 1e-8, update=1e-9), param("1.weight")),  # two layers are not deep
        lambda i: deep(i, first=1e-8 if i % 8 else 1e-3),  # now and then it gets one: an expert
    ],
)
def test_vanishing_gradients_is_silent(make: object) -> None:
    assert first_heard(vanishing_gradients, course(60, make)) is None  # type: ignore[arg-type]


def burst(i: int, grad: float = 100.0, update: float = 1.0, loss: float = 50.0) -> SignalFacts:
    grown = i > 30
    return step(i, loss if grown else 1.0, param("w", grad if grown else 0.1, update=update if grown else 0.01))


def test_exploding_gradients() -> None:
    found = first_heard(exploding_gradients, course(40, burst))
    assert found is not None and found[0] == 32
    assert "that of w" in found[1].message
    assert first_heard(exploding_gradients, course(40, lambda i: burst(i, update=0.01))) is None  # clipped
    assert first_heard(exploding_gradients, course(40, lambda i: burst(i, loss=0.9))) is None
    assert first_heard(exploding_gradients, course(40, lambda i: burst(i, grad=1.0))) is None
    assert first_heard(exploding_gradients, course(31, burst)) is None  # one step
    assert first_heard(exploding_gradients, course(40, lambda i: burst(i + 20))) is None  # at the start


def bent(i: int, flat: float = 0.95, grad: float = 1e-4, update: float = 1e-5, *, gate: bool = False) -> SignalFacts:
    function = layer("1", kind="Tanh", flat=flat, is_passed_on=not gate, fed_by="0")
    first = param("0.weight", grad, update=update)
    return step(i, 1.0, first, param("2.weight"), param("4.weight"), activations=(layer("0"), function))


def test_saturated_activations() -> None:
    found = first_heard(saturated_activations, course(20, bent))
    assert found is not None and found[0] == 16
    assert "95% of the outputs of 1 (Tanh)" in found[1].message
    all_but_gone = course(
        20,
        lambda i: replace(bent(i), params=(replace(bent(i).params[0], grad_norm=0.0, zeros=1.0), *bent(i).params[1:])),
    )
    assert first_heard(saturated_activations, all_but_gone) is not None  # where the slope is exactly zero
    assert first_heard(saturated_activations, course(30, lambda i: bent(i, flat=0.5))) is None
    assert first_heard(saturated_activations, course(30, lambda i: bent(i, grad=0.05))) is None
    assert first_heard(saturated_activations, course(30, lambda i: bent(i, gate=True))) is None
    assert first_heard(saturated_activations, course(30, lambda i: bent(i, update=0.01))) is None  # Adam moves it
    assert first_heard(saturated_activations, course(30, lambda i: bent(i, flat=0.95 if i % 5 else 0.1))) is None


def moved(i: int, update: float, loss: float = 1.0, **fields: object) -> SignalFacts:
    return step(i, loss, param("a", update=update), param("b", update=update), **fields)


def test_update_too_large() -> None:
    found = first_heard(update_too_large, course(80, lambda i: moved(i, 2.0)))
    assert found is not None and found[0] == 64
    assert "by 20% of its size" in found[1].message
    assert first_heard(update_too_large, course(99, lambda i: moved(i, 2.0, loss=1 / i))) is None
    assert first_heard(update_too_large, course(99, lambda i: moved(i, 0.5))) is None
    assert first_heard(update_too_large, course(99, lambda i: moved(i, 2.0 if i % 9 else 0.1))) is None


def test_update_too_small() -> None:
    found = first_heard(update_too_small, course(150, lambda i: moved(i, 1e-7)))
    assert found is not None and found[0] == 128
    assert "raise the learning rate of 0.1" in found[1].fix
    assert first_heard(update_too_small, course(150, lambda i: moved(i, 1e-7, loss=1 / i))) is None
    assert first_heard(update_too_small, course(150, lambda i: moved(i, 1e-7, lrs=(1e-9 * i,)))) is None  # warm-up
    assert first_heard(update_too_small, course(150, lambda i: moved(i, 1e-7, lrs=(0.0,)))) is None
    assert first_heard(update_too_small, course(150, lambda i: moved(i, 1e-3))) is None


@pytest.mark.parametrize("rule", [update_too_large, update_too_small, output_collapsed])
def test_games_of_several_optimizers_are_left_alone(rule: object) -> None:
    steps = course(150, lambda i: collapsed(i, update=2.0 if rule is update_too_large else 1e-7))
    history = History(steps[:-1])
    assert list(rule.check(steps[-1], history))  # type: ignore[attr-defined]
    history.add(replace(steps[0], optimizer=2))
    assert not list(rule.check(steps[-1], history))  # type: ignore[attr-defined]


def collapsed(
    i: int, variation: float = 1e-6, loss: float = 1.0, update: float = 0.01, hidden: float = 0.5
) -> SignalFacts:
    outputs = (layer("fc", variation=hidden), layer("out", variation=variation, is_last=True))
    return step(i, loss, param("a", update=update), param("b", update=update), activations=outputs)


def test_output_collapsed() -> None:
    found = first_heard(output_collapsed, course(80, collapsed))
    assert found is not None and found[0] == 64
    assert "out (Linear) gives the same output for all 32 rows" in found[1].message
    assert first_heard(output_collapsed, course(80, lambda i: collapsed(i, variation=0.1))) is None
    assert first_heard(output_collapsed, course(80, lambda i: collapsed(i, loss=1 / i))) is None
    assert (
        first_heard(output_collapsed, course(80, lambda i: collapsed(i, hidden=1e-7))) is None
    )  # one sample again and again
    begins_at_zero = course(80, lambda i: collapsed(i, variation=1e-6 if i < 60 else 0.1))
    assert first_heard(output_collapsed, begins_at_zero) is None


def test_gradient_spike_is_noted() -> None:
    found = first_heard(gradient_spike, course(50, lambda i: step(i, 1.0, param("w", 10.0 if i == 45 else 0.1))))
    assert found is not None and found[0] == 45
    assert (
        first_heard(gradient_spike, course(50, lambda i: step(i, 1.0, param("w", 10.0 if i in (5, 45) else 0.1))))
        is None
    )
    assert first_heard(gradient_spike, course(20, lambda i: step(i, 1.0, param("w", 10.0 if i == 15 else 0.1)))) is None


def test_inputs_not_normalised_is_noted() -> None:
    def given(i: int, mean: float = 500.0, kind: str = "Linear", spread: float = 200.0) -> SignalFacts:
        return step(i, activations=(layer("fc", kind=kind, input_mean=mean, input_spread=80.0, spread=spread),))

    found = first_heard(inputs_not_normalised, course(10, given))
    assert found is not None and found[0] == 8
    assert first_heard(inputs_not_normalised, course(10, lambda i: given(i, mean=0.5))) is None
    assert first_heard(inputs_not_normalised, course(10, lambda i: given(i, kind="BatchNorm1d"))) is None
    assert first_heard(inputs_not_normalised, course(10, lambda i: given(i, spread=1.0))) is None
