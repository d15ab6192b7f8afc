"""The program's recursion limit is its own, however many frames of ours lie below it."""

import sys

import pytest

from surefoot.watch.recursion import RecursionLimit, num_frames


def depth_reached() -> int:
    reached = num_frames()

    def down() -> None:
        nonlocal reached
        reached += 1
        down()

    with pytest.raises(RecursionError):
        down()
    return reached


def test_the_program_sees_and_sets_its_own() -> None:
    before = sys.getrecursionlimit()
    kept = RecursionLimit()
    with kept.kept(10):
        assert sys.getrecursionlimit() == before
        kept.widen()
        assert sys.getrecursionlimit() == before
        sys.setrecursionlimit(before + 50)
        assert sys.getrecursionlimit() == before + 50
        kept.narrow()
        for wrong in (0, "many"):
            with pytest.raises((ValueError, TypeError)):
                sys.setrecursionlimit(wrong)  # type: ignore[arg-type]
        sys.setrecursionlimit(before)
    assert sys.getrecursionlimit() == before


def test_the_frames_come_back() -> None:
    alone = depth_reached()
    kept = RecursionLimit()
    with kept.kept(25):
        assert depth_reached() == alone + 25
    kept.widen()  # nobody keeps it
    assert depth_reached() == alone


def test_a_limit_below_the_stack_waits() -> None:
    kept = RecursionLimit()
    limit = sys.getrecursionlimit()
    with kept.kept(0):
        kept.narrow(limit - 1)
        assert sys.getrecursionlimit() == limit
