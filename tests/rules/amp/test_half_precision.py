"""Gradients that underflow, updates that vanish, backward inside autocast."""

from surefoot.facts import LostUpdateFacts, ScalerFacts, StepFacts, UnderflowFacts
from surefoot.rules.amp import backward_under_autocast, fp16_without_scaler, lost_half_precision_updates
from tests.rules.grad.build import LINE, ask, backward, gradient, step

FLUSHED = UnderflowFacts(num_cast=100, num_flushed=60, num_matrices=4)
SUNK = UnderflowFacts(num_cast=100, num_flushed=0, num_matrices=4, num_sunk=2, params=("0.weight", "2.weight"))
FINE = UnderflowFacts(num_cast=100, num_flushed=10, num_matrices=4)


def measured(*facts: UnderflowFacts) -> list[StepFacts]:
    return [step(n + 1, (backward(n + 1),), gradient(n + 1), underflow=found) for n, found in enumerate(facts)]


def test_underflow_fires_once_three_measured_steps_show_it() -> None:
    check = fp16_without_scaler.check
    for bad in (FLUSHED, SUNK):
        one, two, three = measured(bad, bad, bad)
        assert not ask(check, two, one)
        (evidence,) = ask(check, three, one, two)
        assert evidence.site is not None and evidence.site.line == LINE["backward"]


def test_underflow_is_silent_when_fine_rare_late_or_scaled() -> None:
    check = fp16_without_scaler.check
    *past, now = measured(FINE, FINE, FINE, FINE)
    assert not ask(check, now, *past)
    *past, now = measured(FLUSHED, FINE, FINE, FINE, FINE, FLUSHED, FLUSHED)
    assert not ask(check, now, *past)
    *past, now = measured(*[FINE] * 14, *[FLUSHED] * 60)  # it has converged
    assert not ask(check, now, *past)
    *past, _ = measured(FLUSHED, FLUSHED, FLUSHED)
    through = step(3, (backward(3),), gradient(3), underflow=FLUSHED, scaler=ScalerFacts(1, 8.0))
    assert not ask(check, through, *past)


def updates(*samples: tuple[int, float]) -> list[StepFacts]:
    """Steps that tell how many of 100 weights did not move, at which rate."""
    return [
        step(
            n + 2, (backward(n + 2),), gradient(n + 2),
            lost_updates=LostUpdateFacts("bfloat16", 100, unchanged, rate, n + 1, ("weight",)),
        )
        for n, (unchanged, rate) in enumerate(samples)
    ]  # fmt: skip


def test_lost_updates_fire_from_the_first_steps_on() -> None:
    check = lost_half_precision_updates.check
    *past, now = updates(*[(90, 1e-4)] * 6)
    (evidence,) = ask(check, now, *past)
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert "90 %" in evidence.message
    assert not ask(check, past[-1], *past[:-1])


def test_lost_updates_are_silent_in_warm_up_decay_and_convergence() -> None:
    check = lost_half_precision_updates.check
    for samples in (
        [(90, 1e-6 * n) for n in range(1, 12)],
        [(20, 1e-2)] * 8 + [(95, 1e-4)] * 20,
        [(20, 1e-2)] * 16 + [(95, 1e-2)] * 40,
        [(60, 1e-2)] * 10,
    ):
        *past, now = updates(*samples)
        assert not ask(check, now, *past)


def test_backward_under_autocast() -> None:
    check = backward_under_autocast.check
    (evidence,) = ask(check, step(1, (backward(1, under_autocast=True, autocast_dtype="bfloat16"),), gradient(1)))
    assert "bfloat16" in evidence.message
    assert not ask(check, step(1, (backward(1, autocast_dtype="bfloat16"),), gradient(1)))


def decayed(weight_decay: float, num_undecayed: int, num_samples: int = 6) -> list[StepFacts]:
    return [
        step(
            n + 2, (backward(n + 2),), gradient(n + 2),
            lost_updates=LostUpdateFacts(
                "bfloat16", 100, 10, 1e-3, n + 1, ("weight",), weight_decay, 64 if weight_decay else 0, num_undecayed
            ),
        )
        for n in range(num_samples)
    ]  # fmt: skip


def test_decay_that_changes_no_weight_fires_though_updates_do() -> None:
    check = lost_half_precision_updates.check
    *past, now = decayed(0.1, 64)
    (evidence,) = ask(check, now, *past)
    assert "weight decay of 0.1 has no effect" in evidence.message and "64 bfloat16 weights" in evidence.message
    assert evidence.level is None
    *past, now = decayed(0.01, 64)
    assert [e.level for e in ask(check, now, *past)] == ["note"]


def test_decay_that_changes_a_single_weight_is_not_lost() -> None:
    check = lost_half_precision_updates.check
    for steps in (decayed(0.1, 63), decayed(0.0, 0), decayed(0.1, 64, num_samples=5)):
        assert not ask(check, steps[-1], *steps[:-1])
