"""Ranks that were stopped or killed anywhere end with the very weights of an undisturbed run."""

import json
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.loop.parallel import cases
from tests.loop.parallel.processes import Team, context, environment, free_port
from tests.loop.parallel.whole_run import run_to_end

NUM_KILLED = 15  # each way: 30 in all
MOMENTS = (4, 64)  # calls of collectives and of the disk, at which one rank is killed: a run has some 300


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_resume_is_bitwise_the_same_run(pair: Team, tmp_path: Path, way: str, precision: str) -> None:
    """Inside windows, in the part of an epoch that only one rank has, and at its end."""
    for found in pair.call(cases.resume, str(tmp_path), way, [1, 6, 7, 9], precision):
        for one in found["resumed"]:
            assert one == found["undisturbed"]


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_three_ranks_add_up_in_the_same_order_after_a_resume(three: Team, tmp_path: Path, way: str) -> None:
    for found in three.call(cases.resume, str(tmp_path), way, [7], "fp32"):
        assert found["resumed"] == [found["undisturbed"]]


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_a_file_of_ones_own_for_each_rank(pair: Team, tmp_path: Path, way: str) -> None:
    for rank, (name, is_same, error) in enumerate(pair.call(cases.own_files, str(tmp_path), way)):
        assert name == f"end.rank-{rank}-of-2.pt"
        assert is_same
        assert f"end.rank-{rank}-of-2.pt belongs to another model or optimizer" in error


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_killed_at_random_points(tmp_path: Path, way: str) -> None:
    """One rank is killed with SIGKILL at a random point, the other as soon as that is seen; again and again."""
    assert run(tmp_path / "undisturbed", way) == [0, 0]
    rng = random.Random(way)
    num_killed = 0
    while num_killed < NUM_KILLED:
        shutil.rmtree(tmp_path / "killed", ignore_errors=True)
        while (codes := run(tmp_path / "killed", way, killed_at={rng.randrange(2): rng.randrange(*MOMENTS)})) != [0, 0]:
            assert -signal.SIGKILL in codes
            num_killed += 1
        assert_same_end(tmp_path, "killed")


def test_sigterm_to_one_rank_saves_on_all(tmp_path: Path) -> None:
    assert run(tmp_path / "undisturbed", "ddp") == [0, 0]
    for rank, batch in ((0, 1), (1, 4)):
        assert run(tmp_path / "ended", "ddp", terminated_at={rank: batch}) == [-signal.SIGTERM] * 2
        assert len(list((tmp_path / "ended").glob("*-of-2.pt"))) == 2 * (rank + 1)
    assert run(tmp_path / "ended", "ddp") == [0, 0]
    assert_same_end(tmp_path, "ended")


def assert_same_end(folder: Path, name: str) -> None:
    for rank in range(2):
        undisturbed, other = ((folder / f"{one}.{rank}").read_text() for one in ("undisturbed", name))
        assert json.loads(undisturbed)["updates"] == 9
        assert undisturbed == other


def run(
    folder: Path, way: str, *, killed_at: dict[int, int] | None = None, terminated_at: dict[int, int] | None = None
) -> list[int | None]:
    """The exit codes of both ranks; the moments of disturbance are by rank."""
    port = free_port()
    killed_at = killed_at or {}
    ranks: list[Any] = []
    for rank in range(2):
        at_batch = None if terminated_at is None else terminated_at.get(rank, -1)
        args = (str(folder), way, environment(rank, 2, port), killed_at.get(rank), at_batch)
        ranks.append(context().Process(target=run_to_end, args=args))
        ranks[-1].start()
    for rank in killed_at:
        ranks[rank].join()
        for one in ranks:
            one.kill()
    for one in ranks:
        one.join()
    return [one.exitcode for one in ranks]
