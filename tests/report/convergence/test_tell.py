"""The few lines at the end of a run."""

import numpy as np

from surefoot.report.convergence import Curve, outlook
from tests.cli.command import make_finding

STEPS = np.arange(1, 1001)
NOISE = 0.01 * np.random.default_rng(0).normal(size=1000)
FALLING = Curve.of("loss", STEPS, 3 - STEPS / 500 + NOISE)
FLAT = Curve.of("loss", STEPS, 0.5 + np.exp(-STEPS / 30) + NOISE)


def test_still_improving() -> None:
    numbers, verdict, move = outlook(FALLING)
    assert numbers.startswith("loss 2.99")
    assert "in the last tenth of 1000 steps; lowest 0.99" in numbers
    assert verdict.startswith("still improving: from 1.5")
    assert verdict.endswith(" to 1.095, its lowest level so far")
    assert move == "next: train longer: the loss was still falling when it ended"


def test_flat_since() -> None:
    _, verdict, move = outlook(FLAT)
    assert verdict.startswith("flat since about step ")
    assert 60 < int(verdict.split()[4].rstrip(":")) < 400
    assert "would not explain (one of 0.01" in verdict
    assert "nine in ten values lie between 0.48" in verdict
    assert move.startswith("next: it has come to rest")


def test_held_out_data_decides_the_next_move() -> None:
    held_out = Curve.of("val/loss", STEPS[49::50], np.r_[np.linspace(2, 1, 8), np.linspace(1.05, 1.6, 12)])
    lines = outlook(FALLING, held_out)
    assert lines[2] == "val/loss lowest 1 at step 400, rising since; 1.6 at the end, 60.0 % above it"
    assert lines[3].startswith("next: take the weights of step 400")
    steady = Curve.of("val/loss", STEPS[49::50], np.linspace(2, 1, 20))
    assert outlook(FALLING, steady)[2] == "val/loss lowest 1 at step 1000; 1 at the end"
    assert len(outlook(FALLING, Curve.of("val/loss", [1], [1.0]))) == 3


def test_findings_come_first() -> None:
    findings = [make_finding(severity="warning"), make_finding(file="a.py", line=3), make_finding(severity="note")]
    assert outlook(FALLING, findings=findings)[-1] == "next: error[stale-gradients] at a.py:3 first: clear them"
    assert "train longer" in outlook(FALLING, findings=findings[2:])[-1]


def test_updates_that_stood_still() -> None:
    assert "1 step stood still: skipped, the weights did not move" in outlook(FLAT, num_skipped=1)
    assert "12 steps stood still: skipped, the weights did not move" in outlook(FLAT, num_skipped=12)


def test_other_ends() -> None:
    rising = Curve.of("loss", STEPS, np.where(STEPS < 600, 2 - STEPS / 400, 0.5 + (STEPS - 600) / 1000) + NOISE)
    assert outlook(rising)[1].startswith("it rises: from 0.6")
    diverged = Curve.of("loss", STEPS, 1 + np.exp(STEPS / 100) + NOISE)
    assert outlook(diverged)[1] == "it diverged: the end lies above the beginning"
    swinging = Curve.of("loss", STEPS, 2 - (STEPS - 1) / 1000 * 3 % 1 + NOISE)
    assert outlook(swinging)[1].startswith("it swings")
    assert len(outlook(swinging)) == 2
    bad = Curve.of("loss", STEPS, np.where(STEPS < 900, 1.0, np.nan) + NOISE)
    assert outlook(bad)[1] == "it ended not finite: no finite value since step 900"
    stuck = Curve.of("loss", STEPS, 2.3 + NOISE)
    assert outlook(stuck)[1].startswith(
        "it ended no lower than it began: nine in ten values of the whole run lie between 2.28"
    )


def test_an_end_that_is_not_finite_is_not_passed_over() -> None:
    held_out = Curve.of("val/loss", STEPS[49::50], np.r_[np.linspace(2, 1, 19), np.nan])
    assert outlook(FALLING, held_out)[2] == "val/loss lowest 1 at step 950; not finite at the end"
    bad = Curve.of("loss", STEPS, np.where(STEPS < 900, 1.0, np.nan) + NOISE)
    assert "in the last tenth of its finite values" in outlook(bad)[0]


def test_a_loss_below_zero_gets_no_advice() -> None:
    below = Curve.of("loss", STEPS, -0.5 + np.exp(-STEPS / 30) + NOISE)
    assert len(outlook(below)) == 2


def test_too_short_to_say() -> None:
    assert outlook(Curve.of("loss", [1, 2], [1.0, 0.5])) == []
