"""Ranks that can't talk yet agree, also when one of them is over before another has begun."""

from pathlib import Path

from surefoot.runlog.agree import agree, leave

TWO = {"LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "4"}


def test_who_leaves_early_leaves_the_answer_behind(tmp_path: Path) -> None:
    place = tmp_path / "place"
    assert agree(place, 0, "first") == "first"
    leave(place, 0, TWO)
    assert agree(place, 1, "second") == "first"
    leave(place, 1, TWO)
    assert not place.exists()


def test_leaving_twice_or_from_nowhere_does_no_harm(tmp_path: Path) -> None:
    leave(tmp_path / "nowhere", 0, TWO)
    agree(tmp_path / "place", 0, "first")
    leave(tmp_path / "place", 0, TWO)
    leave(tmp_path / "place", 0, TWO)
    assert agree(tmp_path / "place", 1, "second") == "first"
