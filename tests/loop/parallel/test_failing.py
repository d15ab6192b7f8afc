"""A rank that fails ends the others, which say what it said."""

from pathlib import Path

import pytest

from tests.loop.parallel import failing_cases
from tests.loop.parallel.processes import Team, free_port, team

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


@pytest.mark.parametrize("name", ["save()", "resume()", "evaluate()"])
def test_what_rank_0_calls_alone_is_refused_by_all(tmp_path: Path, name: str) -> None:
    with team(2) as made:
        for said in made.call(failing_cases.apart, tmp_path / "meeting", name, "ddp"):
            assert f"rank 0 is at {name}, and rank 1 at an update. What a loop does, it does on all ranks" in said


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (
            "model",
            "On rank 0 weight is torch.float32 of shape (3, 4); on rank 1 weight is torch.float32 of shape (2, 4).",
        ),
        ("rate", "On rank 0 lr of group 0 of the SGD is 0.1; on rank 1 lr of group 0 of the SGD is 0.2."),
        ("accumulate", "On rank 0 accumulate is 2; on rank 1 accumulate is 4."),
        ("nothing", ""),
    ],
)
def test_ranks_have_the_same_model_optimizer_and_settings(tmp_path: Path, what: str, says: str) -> None:
    with team(2) as made:
        for said in made.call(failing_cases.different, tmp_path / "meeting", what):
            assert said.endswith(says)


def test_a_connection_that_gets_lost_at_the_start_is_tried_again() -> None:
    with team(2) as made:
        for found, tries in made.call(failing_cases.connected_at_second_attempt, free_port()):
            assert found == 2 + 30 * 60
            assert tries == 2


def test_one_loop_after_the_other_starts_a_group_of_its_own() -> None:
    with team(2) as made:
        assert made.call(failing_cases.one_loop_after_the_other, free_port()) == [[2, 2, 2]] * 2


def test_ranks_that_never_connect_say_so() -> None:
    with team(2) as made:
        for said in made.call(failing_cases.never_connected, free_port()):
            assert "the 2 ranks did not connect to each other in 4 attempts of 20 seconds" in said
            assert said.endswith("timed out connecting")
