"""When a validation loss that rises is called overfitting."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from surefoot.facts import Site, ValidationFacts
from surefoot.rules import Evidence, History
from surefoot.rules.converge.overfitting import check
from tests.rules.twins import watch_program

ZOO = Path(__file__).parents[2] / "zoo"
HERE = Site("train.py", 30, "evaluate")


def facts(i: int, loss: float, train_loss: float | None, **fields: object) -> ValidationFacts:
    known = ValidationFacts(i, 100 * i, 1, loss, i, 4, "mse", "", HERE, train_loss, ("mse",))
    return replace(known, **fields)  # type: ignore[arg-type]


def noise(i: int, size: float = 0.01) -> float:
    return size * math.sin(17.0 * i * i)


def valley(i: int, slope: float = 0.05) -> ValidationFacts:
    """Falls until the sixth validation, rises from then on."""
    return facts(i, 1.0 + slope * abs(i - 6) + noise(i), 2.0 * 0.9**i + noise(i + 1))


def first_heard(num: int, make: Callable[[int], ValidationFacts]) -> tuple[int, Evidence] | None:
    history = History()
    for i in range(1, num + 1):
        now = make(i)
        if found := list(check.check(now, history)):
            return i, found[0]
        history.add(now)
    return None


def test_overfitting() -> None:
    found = first_heard(20, valley)
    assert found is not None and found[0] == 10
    assert "at validation 5 (step 500)" in found[1].message and found[1].site == HERE
    assert found[1].numbers["num_validations"] == 10


def test_a_logged_loss_is_told_by_its_name() -> None:
    found = first_heard(20, lambda i: replace(valley(i), name="val/loss", kind="", loss=100 * valley(i).loss))
    assert found is not None and found[1].message.startswith("val/loss was lowest")


@pytest.mark.parametrize(
    "make",
    [
        lambda i: replace(valley(i), train_loss=1.0 + noise(i)),  # does not train any more
        lambda i: replace(valley(i), train_loss=0.5 + 0.05 * i),  # both get worse
        lambda i: replace(valley(i), loss=1.0 + noise(i, 0.2)),  # scatters
        lambda i: facts(i, 1.0 + 0.004 * max(0, i - 6) + noise(i, 0.05), 2.0 * 0.9**i),
        lambda i: replace(valley(i), num_optimizers=2),
        lambda i: replace(valley(i), kind="kl"),  # something else is watched
        lambda i: replace(valley(i), loss=0.001 * valley(i).loss),
        lambda i: replace(valley(i), train_loss=None),
        lambda i: facts(i, 2.0 * 0.95**i, 2.0 * 0.9**i),
    ],
)
def test_overfitting_is_silent(make: Callable[[int], ValidationFacts]) -> None:
    assert first_heard(24, make) is None


def test_a_few_validations_tell_nothing() -> None:
    assert first_heard(9, valley) is None


@pytest.mark.parametrize(
    "name", ["validation_scatters", "distance_is_watched", "old_task_is_forgotten", "labels_are_smoothed"]
)
def test_programs_that_look_like_it(name: str, tmp_path: Path) -> None:
    file = ZOO / f"converge_{name}.py"
    found, records = watch_program(file.read_text(), tmp_path / file.name)
    assert sum(isinstance(record, ValidationFacts) for record in records) >= 8
    assert "overfitting" not in {finding.rule for finding in found}
