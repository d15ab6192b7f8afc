"""A rank that fails ends the others, which say what it said."""

from pathlib import Path

import pytest

from tests.loop.parallel import failing_cases
from tests.loop.parallel.processes import Team, team

REASONS = {
    "a loss that is refused": ("UnknownWeightError", "takes the square root of a mean"),
    "an exception in a step": ("KeyError", "no such label"),
    "an exception in the loader": ("OSError", "the file of sample 8 is damaged"),
    "an exception in evaluate": ("IndexError", "a target beyond the classes"),
    "an exception in before_update": ("ArithmeticError", "an edit that went wrong"),
}


def assert_all_end(found: list[tuple[str, str, bool]], name: str) -> None:
    kind, reason = REASONS[name]
    assert found[1][0] == kind
    assert reason in found[1][1]
    for other in (found[0], found[2]):
        assert other[0] == "RankFailedError"
        assert f"rank 1 has failed, and this one can't go on without it. It said: {kind}: " in other[1]
        assert reason in other[1]
    assert not any(is_there for *_, is_there in found)


@pytest.mark.parametrize("name", REASONS)
def test_the_others_end_and_say_why(three: Team, tmp_path: Path, name: str) -> None:
    assert_all_end(three.call(failing_cases.failed, tmp_path / "meeting", name, "ddp"), name)


def test_where_a_model_is_sharded_they_end_with_the_process(tmp_path: Path) -> None:
    with team(3) as made:
        name = "a loss that is refused"
        assert_all_end(made.call(failing_cases.failed_and_ended, tmp_path / "meeting", name), name)


def test_what_all_refuse_leaves_the_group_alone(tmp_path: Path) -> None:
    with team(2) as made:
        for said, is_there, num_updates in made.call(failing_cases.failed_alike, tmp_path / "meeting"):
            assert "takes the square root of a mean" in said
            assert is_there
            assert num_updates == 4
