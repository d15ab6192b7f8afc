"""checkpoint-mostly-unmatched on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import SetupFacts, Site, UnmatchedFacts
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.checkpoint_mostly_unmatched import check

LOADED = Site("train.py", 7)


def ask(**fields: Any) -> list[Evidence]:
    whole = {"num_own": 10, "num_given": 10, "num_missing": 5, "num_unexpected": 5, "num_fitting": 5, **fields}
    load = UnmatchedFacts("Net", LOADED, is_unseen=whole.pop("is_unseen", True), **whole)
    return list(check.check(SetupFacts(at=1, unmatched=(load,)), History()))


def test_fires_when_half_is_left_over() -> None:
    (found,) = ask(examples=("fc.weight", "module.fc.weight"))
    assert found.site == LOADED and "5 of the 10" in found.message and "'module.fc.weight'" in found.message


def test_fires_when_nothing_fits_whatever_the_shapes() -> None:
    assert len(ask(num_given=2, num_missing=10, num_unexpected=2, num_fitting=0)) == 1


@pytest.mark.parametrize(
    "why",
    [
        {"is_unseen": False},
        {"num_missing": 2, "num_fitting": 2},  # a small head
        {"num_unexpected": 2},
        {"num_fitting": 2},  # other shapes: other parts
        {"num_own": 0, "num_missing": 0},
        {"num_given": 0, "num_unexpected": 0},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(**why) == []
