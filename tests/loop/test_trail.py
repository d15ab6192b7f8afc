"""The marks of random states change whenever something is drawn, and only then."""

import random
import sys

import numpy as np
import pytest
import torch

from surefoot.loop import trail

DRAWS = {"torch": lambda: torch.rand(1), "python": random.random, "numpy": lambda: np.random.rand()}


@pytest.mark.parametrize("name", DRAWS)
def test_a_mark_changes_with_every_draw_and_comes_back_with_the_state(name: str) -> None:
    source = trail.SOURCES[name]
    seen = [source.mark()]
    state = source.capture()
    for _ in range(700):  # further than the generators' own period of refilling
        DRAWS[name]()
        seen.append(source.mark())
    assert len(set(seen)) == len(seen)
    source.put(state)
    assert source.mark() == seen[0]


def test_without_knowing_the_object_python_is_asked_for_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "another")
    source = trail._Python()
    before = source.mark()
    assert before == random.getstate()
    random.random()
    assert source.mark() != before


def test_an_object_that_looks_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(1)
    assert trail._state_offset(generator) is not None
    monkeypatch.setattr(random.Random, "getstate", lambda self: (3, (0,) * 625, None))
    assert trail._state_offset(generator) is None
