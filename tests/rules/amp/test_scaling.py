"""Losses that were not scaled, gradients that still are, scalers that skip."""

from typing import Any

from surefoot.facts import ScalerFacts, StepFacts
from surefoot.rules.amp import loss_not_scaled, scaled_gradients_stepped, scaler_keeps_skipping
from tests.rules.grad.build import LINE, ask, backward, gradient, step

SCALER = ScalerFacts(id=1, scale=1024.0)


def test_loss_not_scaled_fires_at_the_backward() -> None:
    (evidence,) = ask(loss_not_scaled.check, step(1, (backward(1),), gradient(1), scaler=SCALER))
    assert evidence.site is not None and evidence.site.line == LINE["backward"]
    assert evidence.numbers["scale"] == 1024.0


def test_loss_not_scaled_fires_when_one_of_two_losses_was_not() -> None:
    now = step(1, (backward(1, scaled_by=1), backward(2, line=30)), gradient(1, 2), scaler=SCALER)
    (evidence,) = ask(loss_not_scaled.check, now)
    assert evidence.site is not None and evidence.site.line == 30
    assert "1 of 2" in evidence.message


def test_loss_not_scaled_is_silent() -> None:
    check = loss_not_scaled.check
    assert not ask(check, step(1, (backward(1, scaled_by=1),), gradient(1), scaler=SCALER))
    assert not ask(check, step(1, (backward(1),), gradient(1)))
    assert not ask(check, step(1, (backward(1),), gradient(1), scaler=ScalerFacts(1, 1.0)))
    assert not ask(check, step(1, (backward(1),), gradient(1), scaler=ScalerFacts(1, 8.0, enabled=False)))
    assert not ask(check, step(1, (backward(1),), gradient(1, edited=True), scaler=SCALER))
    assert not ask(check, step(1, (backward(1),), gradient(by_hand=True), scaler=SCALER))


def test_scaled_gradients_stepped() -> None:
    check = scaled_gradients_stepped.check
    (evidence,) = ask(check, step(1, (backward(1, scaled_by=1),), gradient(1), scale=1024.0))
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert not ask(check, step(1, (backward(1, scaled_by=1),), gradient(1)))
    assert not ask(check, step(1, (backward(1, scaled_by=1),), gradient(1), scale=1024.0, scaler=SCALER, skipped=True))
    (evidence,) = ask(check, step(1, (backward(1, scaled_by=1),), gradient(1), scale=1024.0, scaler=SCALER))
    assert "after unscale_" in evidence.message


def skip(in_a_row: int, scale: float, **fields: Any) -> StepFacts:
    fields.setdefault("skipped", True)
    return step(9, (backward(1, scaled_by=1),), gradient(1), scaler=ScalerFacts(1, scale, True, in_a_row), **fields)


def test_scaler_keeps_skipping() -> None:
    check = scaler_keeps_skipping.check
    assert ask(check, skip(20, 65536.0))
    (evidence,) = ask(check, skip(3, 0.5))
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert not ask(check, skip(19, 2.0))
    far = ScalerFacts(1, 2.0**16, True, 24, init_scale=2.0**40)
    assert not ask(check, step(9, (backward(1, scaled_by=1),), gradient(1), scaler=far, skipped=True))
    assert not ask(check, skip(0, 0.5, skipped=False))
    low = ScalerFacts(1, 0.25, True, 1, init_scale=0.25)
    assert not ask(check, step(9, (backward(1, scaled_by=1),), gradient(1), scaler=low, skipped=True))
