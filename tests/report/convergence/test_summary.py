"""The few lines at the end of a run."""

import numpy as np
import pytest

from surefoot.report.convergence import Curve, loss_summary
from surefoot.report.convergence.calibration import RIGHT
from surefoot.rules.catalogue import catalogue
from tests.cli.command import make_finding

STEPS = np.arange(1, 1001)
NOISE = 0.01 * np.random.default_rng(1).normal(size=1000)
FALLING = Curve.of("loss", STEPS, 3 - STEPS / 500 + NOISE)
FLAT = Curve.of("loss", STEPS, 0.5 + np.exp(-STEPS / 30) + NOISE)
CONSTANT = Curve.of("lr", STEPS, np.full(1000, 0.1))


def test_still_falling() -> None:
    numbers, verdict, move = loss_summary(FALLING)
    assert numbers.startswith("loss 2.9")
    assert "in the last tenth of 1000 steps; lowest 0.98" in numbers
    assert verdict.startswith("still falling: from 2.0")
    assert " around step 501 to 1.09" in verdict
    right, given = RIGHT["falling"]
    assert move == (
        f"next: train longer: at {right} of {given} such ends of calibrated trainings the loss fell by at least "
        "2 % more in as many steps again"
    )


def test_a_run_that_goes_on_has_not_ended_and_trains_longer_anyway() -> None:
    numbers, verdict = loss_summary(FALLING, goes_on=True)
    assert "in the last tenth of 1000 steps so far; lowest" in numbers
    assert verdict.startswith("still falling")
    bad = Curve.of("loss", STEPS, np.where(STEPS < 900, 1.0, np.nan))
    held_out = Curve.of("val/loss", STEPS[::50], np.linspace(2.0, 1.0, 20))
    stuck = Curve.of("loss", STEPS, 2.3 + NOISE)
    for loss in (bad, stuck, FLAT, FALLING):
        for lr in (None, CONSTANT, Curve.of("lr", STEPS, np.linspace(0.1, 0, 1000))):
            lines = loss_summary(loss, held_out, lr=lr, goes_on=True)
            assert not any("ended" in line or "at the end" in line for line in lines)


def test_at_rest_at_a_constant_rate() -> None:
    _, verdict, move = loss_summary(FLAT, lr=CONSTANT)
    right, given = RIGHT["resting"]
    assert verdict == (
        f"no fall in the last 499 steps, at a constant learning rate; at {right} of {given} such ends of "
        "calibrated trainings the loss fell by less than 10 % in as many steps again"
    )
    assert move == "next: more of the same steps would hardly lower it: change the learning rate, the model or the data"


@pytest.mark.parametrize(
    ("lr", "said"),
    [
        (
            0.1 * (1 - (STEPS - 1) / 1000),
            "the learning rate ended at 0.0001, its highest was 0.1, so the last updates were small: whether a longer "
            "schedule lowers the loss is not known",
        ),
        (
            np.where(STEPS < 700, 0.1, 0.05),
            "the learning rate went from 0.1 to 0.05 meanwhile: whether the loss would fall at another one is "
            "not known",
        ),
    ],
)
def test_a_schedule_explains_rest(lr: np.ndarray, said: str) -> None:
    lines = loss_summary(FLAT, lr=Curve.of("lr", STEPS, lr))
    assert lines[1:] == [f"no fall in the last 499 steps; {said}"]  # and no advice


def test_a_rate_that_is_not_known() -> None:
    assert loss_summary(FLAT)[1:] == [
        "no fall in the last 499 steps; its learning rate is not known, so that a schedule may be the reason"
    ]


def test_a_fall_while_the_rate_changes() -> None:
    lr = Curve.of("lr", STEPS, 0.1 * (1 - (STEPS - 1) / 1000))
    assert loss_summary(FALLING, lr=lr)[1].endswith(", while the learning rate went from 0.05 to 0.0001")


def test_held_out_data_decides_the_next_move() -> None:
    held_out = Curve.of("val/loss", STEPS[49::50], np.r_[np.linspace(2, 1, 8), np.linspace(1.05, 1.6, 12)])
    lines = loss_summary(FALLING, held_out)
    assert lines[2] == "val/loss lowest 1 at step 400, rising since; 1.6 at the end, 60.0 % above it"
    assert lines[3].startswith("next: take the weights of step 400")
    steady = Curve.of("val/loss", STEPS[49::50], np.linspace(2, 1, 20))
    assert loss_summary(FALLING, steady)[2] == "val/loss lowest 1 at step 1000; 1 at the end"
    assert len(loss_summary(FALLING, Curve.of("val/loss", [1], [1.0]))) == 3


def test_findings_come_first() -> None:
    findings = [make_finding(severity="warning"), make_finding(file="a.py", line=3), make_finding(severity="note")]
    assert loss_summary(FALLING, findings=findings)[-1] == "next: error[stale-gradients] at a.py:3 first: clear them"
    assert "train longer" in loss_summary(FALLING, findings=findings[2:])[-1]


def test_a_cause_comes_before_what_follows_from_it() -> None:
    cause = make_finding(rule="parameters-not-in-optimizer", step=9)
    effect = make_finding(rule="loss-flat", step=2, follows=cause.place)
    assert "error[parameters-not-in-optimizer]" in loss_summary(FALLING, findings=[effect, cause])[-1]


@pytest.mark.parametrize("name", [name for name, rule in catalogue().items() if rule.family == "converge"])
@pytest.mark.parametrize("loss", [FALLING, FLAT, Curve.of("loss", STEPS, 2.3 + NOISE)])
def test_no_advice_speaks_against_a_note_about_the_loss(name: str, loss: Curve) -> None:
    """As "train longer" would against `overfitting`, which asks to stop early."""
    note = make_finding(rule=name, severity="note")
    moves = [line for line in loss_summary(loss, lr=CONSTANT, findings=[note]) if line.startswith("next: ")]
    assert moves == [f"next: note[{name}] first: clear them"]


def test_updates_that_were_skipped() -> None:
    assert "1 step was skipped: the weights did not move" in loss_summary(FLAT, num_skipped=1)
    assert "12 steps were skipped: the weights did not move" in loss_summary(FLAT, num_skipped=12)


def test_other_ends() -> None:
    rising = Curve.of("loss", STEPS, np.where(STEPS < 500, 2 - STEPS / 400, 0.75 + (STEPS - 500) / 1000) + NOISE)
    assert loss_summary(rising)[1].startswith("it rose in the second half: from 0.8")
    turning = Curve.of("loss", STEPS, np.where(STEPS < 600, 2 - STEPS / 400, 0.5 + (STEPS - 600) / 1000) + NOISE)
    assert loss_summary(turning, lr=CONSTANT)[1].startswith(
        "not clear whether it still falls: nine in ten values since step"
    )
    diverged = Curve.of("loss", STEPS, 1 + np.exp(STEPS / 100) + NOISE)
    assert loss_summary(diverged)[1] == "it diverged: the end lies above the beginning"
    swinging = Curve.of("loss", STEPS, 2 - (STEPS - 1) / 1000 * 2 % 1 + NOISE)
    assert loss_summary(swinging)[1].startswith("it swings: from ")
    assert len(loss_summary(swinging)) == 2
    bad = Curve.of("loss", STEPS, np.where(STEPS < 900, 1.0, np.nan) + NOISE)
    assert loss_summary(bad)[1] == "it ended not finite: no finite value since step 900"
    stuck = Curve.of("loss", STEPS, 2.3 + NOISE)
    assert loss_summary(stuck)[1].startswith(
        "it ended near where it began; nine in ten values of the whole run lie between 2.28"
    )
    slowing = Curve.of("loss", STEPS, 1 + np.exp(-STEPS / 30) - STEPS / 2e5)
    assert loss_summary(slowing)[1] == "it fell only a little in the second half: from 0.9976 around step 501 to 0.9952"
    noisy = Curve.of("loss", STEPS, 0.5 + np.exp(-STEPS / 30) + 40 * NOISE)
    assert loss_summary(noisy)[1].startswith("not clear whether it still falls: nine in ten values since step 501 lie")


def test_an_end_that_is_not_finite_is_not_passed_over() -> None:
    held_out = Curve.of("val/loss", STEPS[49::50], np.r_[np.linspace(2, 1, 19), np.nan])
    assert loss_summary(FALLING, held_out)[2] == "val/loss lowest 1 at step 950; not finite at the end"
    bad = Curve.of("loss", STEPS, np.where(STEPS < 900, 1.0, np.nan) + NOISE)
    assert "in the last tenth of its finite values" in loss_summary(bad)[0]


def test_a_loss_below_zero_gets_no_advice() -> None:
    below = Curve.of("loss", STEPS, -0.5 + np.exp(-STEPS / 30) + NOISE)
    assert len(loss_summary(below, lr=CONSTANT)) == 2


def test_too_short_to_say() -> None:
    assert loss_summary(Curve.of("loss", [1, 2], [1.0, 0.5])) == []
