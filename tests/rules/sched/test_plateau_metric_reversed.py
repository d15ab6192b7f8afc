"""plateau-metric-reversed on hand-written facts."""

import math
from typing import Any

import pytest

from surefoot.rules.sched.plateau_metric_reversed import check
from tests.rules.sched.build import ADVANCED, ask, at_end, at_step, schedule

FALLING = (0.7, 0.6, 0.5, 0.4, 0.35, 0.3)


def plateau(metrics: Any, losses: Any = FALLING, mode: str = "min") -> Any:
    settings = (("maximise", 1.0),) if mode == "max" else ()
    return schedule("ReduceLROnPlateau", *settings, metrics=tuple(zip(metrics, losses, strict=False)))


@pytest.mark.parametrize(
    "accuracies",
    [(0.5, 0.625, 0.75, 0.875), (50.0, 62.5, 75.0, 80.0, 85.0), (196 / 200, 1.0, 1.0, 1.0), (0.2, 0.4, 0.35, 0.6, 0.8)],
)
def test_fires_on_an_accuracy_in_mode_min(accuracies: tuple[float, ...]) -> None:
    found = ask(check, at_step(plateau(accuracies)))
    assert [f.site for f in found] == [ADVANCED]
    assert 'mode "min"' in found[0].message and 'mode="max"' in found[0].fix


def test_fires_on_a_loss_in_mode_max() -> None:
    assert len(ask(check, at_end(plateau((0.731, 0.652, 0.5591, 0.4217, 0.377), mode="max")))) == 1


@pytest.mark.parametrize(
    "metrics",
    [
        (0.7013, 0.7519, 0.8137, 0.9241, 1.0823),  # a validation loss of a model that overfits
        (0.40, 0.42, 0.44, 0.46),  # an error rate that rises a little
        (0.5, 0.75, 0.25, 0.625, 0.5),  # no trend
        (0.5, 0.75, 0.875),  # too few
        (0.9, 0.8, 0.7, 0.6),  # an error rate that falls
        (1.0, 1.0, 1.0, 1.0),
    ],
)
def test_silent_in_mode_min(metrics: tuple[float, ...]) -> None:
    assert ask(check, at_end(plateau(metrics))) == []


def test_silent_in_mode_max_for_accuracies_and_foreign_scales() -> None:
    assert ask(check, at_end(plateau((0.5, 0.625, 0.75, 0.875), mode="max"))) == []
    assert ask(check, at_end(plateau((0.75, 0.625, 0.5, 0.375), mode="max"))) == [], "an accuracy that falls"
    assert ask(check, at_end(plateau((31.3, 30.1, 29.77, 28.3), mode="max"))) == []


def test_silent_when_training_does_not_improve_or_is_unknown() -> None:
    rising = (0.5, 0.625, 0.75, 0.875)
    assert ask(check, at_end(plateau(rising, (0.5, 0.6, 0.5, 0.6)))) == []
    assert ask(check, at_end(plateau(rising, (math.nan,) * 4))) == []
