"""dataset-changed-in-place on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import InPlaceFacts, Site
from surefoot.rules.data.dataset_changed_in_place import check
from tests.rules.data.build import MADE, ask, passed

METHOD = Site("data.py", 20, "Pictures.__getitem__")


def changed(num: int = 16, site: Site | None = METHOD) -> InPlaceFacts:
    return InPlaceFacts("Pictures.images", "ndarray", 16, num, site)


def second(**fields: Any) -> Any:
    return passed(2, **{"sampler": "random", "in_place": changed(), **fields})


def test_names_what_is_changed_and_the_method() -> None:
    (found,) = ask(check, passed(1), second())
    assert found.site == METHOD and "16 of 16 watched rows of Pictures.images" in found.message
    (found,) = ask(check, passed(1), second(in_place=changed(site=None)))
    assert found.site == MADE


@pytest.mark.parametrize(
    "why", [{"in_place": None}, {"in_place": changed(7)}, {"trained": False}, {"sampler": ""}, {"num_steps": 0}]
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(check, passed(1), second(**why)) == []


def test_all_samples_must_have_been_given_before() -> None:
    assert ask(check, second()) == []
    assert ask(check, passed(1, complete=False), second()) == []
    assert ask(check, passed(1, loader=5), second()) == []
