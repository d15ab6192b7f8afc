"""Several ranks save into one folder: a checkpoint counts when the files of all of them are whole."""

import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from surefoot.loop.checkpoint import CheckpointWarning, Folder, files
from surefoot.loop.checkpoint.file import verify
from surefoot.loop.checkpoint.files import Files, Meeting
from surefoot.loop.checkpoint.folder import ResumeError


def state(number: int, rank: int) -> dict[str, Any]:
    return {"number": number, "rank": rank}


class Threads(Meeting):
    """Ranks that are threads."""

    def __init__(self, rank: int, barrier: Barrier, told: list[Any]) -> None:
        self.rank, self._barrier, self._told = rank, barrier, told

    def _gather(self, value: Any) -> Sequence[Any]:
        self._told[self.rank] = value
        self._barrier.wait(60)
        told = list(self._told)
        self._barrier.wait(60)
        return told

    def from_first(self, value: Any) -> Any:
        return self._gather(value)[0]

    def reason(self, reason: str | None) -> str | None:
        return next(filter(None, self._gather(reason)), None)

    def put_together(self, files: Files) -> dict[str, Any]:
        return files.load(self.rank % len(files), lazily=False)


def newest(folders: list[Folder]) -> list[tuple[Any, dict[str, Any]] | None]:
    """As all ranks find it at the same time."""
    barrier, told = Barrier(len(folders)), [None] * len(folders)
    meetings = [Threads(folder.rank, barrier, told) for folder in folders]
    with ThreadPoolExecutor(len(folders)) as pool:
        return list(pool.map(lambda folder, meeting: folder.newest(ranks=meeting), folders, meetings))


def found_by(folders: list[Folder]) -> list[tuple[int, int] | None]:
    return [None if found is None else (found[1]["number"], found[1]["rank"]) for found in newest(folders)]


def folders_of(path: Path, world_size: int = 2, keep: int = 2, run: str = "") -> list[Folder]:
    return [Folder(path, keep, rank=rank, world_size=world_size, run=run) for rank in range(world_size)]


def save(folders: list[Folder], number: int, healthy: bool = True) -> None:
    for folder in folders:
        folder.save(state(number, folder.rank), update=number, healthy=healthy)


def test_each_rank_gets_its_own(tmp_path: Path) -> None:
    folders = folders_of(tmp_path, 3)
    for number in range(1, 5):
        save(folders, number)
    assert found_by(folders) == [(4, 0), (4, 1), (4, 2)]
    assert len(list(tmp_path.iterdir())) == 3 * 2
    assert (tmp_path / "0004-update-00000004.rank-1-of-3.pt").exists()


def test_two_real_processes_at_once(tmp_path: Path) -> None:
    pids = []
    for folder in folders_of(tmp_path):
        pid = os.fork()
        if pid == 0:
            paths = [folder.save(state(n, folder.rank), update=n, healthy=True) for n in range(1, 30)]
            os._exit(0 if all(paths) else 1)
        pids.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0, 0]
    assert found_by(folders_of(tmp_path)) == [(29, 0), (29, 1)]


def test_a_rank_that_is_missing(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    save(folders, 1)
    folders[0].save(state(2, 0), update=2, healthy=True)
    with pytest.warns(CheckpointWarning, match="the file of rank 1 of 2 is missing"):
        assert found_by(folders) == [(1, 0), (1, 1)]


def test_a_rank_whose_file_is_damaged(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    save(folders, 1)
    save(folders, 2)
    path = tmp_path / "0002-update-00000002.rank-1-of-2.pt"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.warns(CheckpointWarning, match="rank-1-of-2.pt is cut short"):
        assert found_by(folders) == [(1, 0), (1, 1)]


@pytest.mark.filterwarnings("ignore:Passed over")
def test_a_rank_that_can_not_write_keeps_the_others_from_deleting(tmp_path: Path) -> None:
    folders = folders_of(tmp_path, keep=1)
    save(folders, 1)
    for number in range(2, 8):
        folders[0].save(state(number, 0), update=number, healthy=True)
    assert found_by(folders) == [(1, 0), (1, 1)]
    save(folders, 8)
    assert found_by(folders) == [(8, 0), (8, 1)]


def test_healthy_in_one_rank_only_is_not_healthy(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    save(folders, 1)
    folders[0].save(state(2, 0), update=2, healthy=True)
    folders[1].save(state(2, 1), update=2, healthy=False)
    with pytest.warns(CheckpointWarning, match="rank 1 of 2 is missing"):
        assert found_by(folders) == [(1, 0), (1, 1)]


def test_ranks_of_two_starts_are_not_mixed(tmp_path: Path) -> None:
    save(folders_of(tmp_path, run="first"), 1)
    folders_of(tmp_path, run="first")[1].save(state(2, 1), update=2, healthy=True)
    second = folders_of(tmp_path, run="second")
    second[0].save(state(2, 0), update=2, healthy=True)
    with pytest.warns(CheckpointWarning, match="the file of rank 1 of 2 is missing"):
        assert found_by(second) == [(1, 0), (1, 1)]


@pytest.mark.filterwarnings("ignore:Passed over")
def test_several_kills_at_one_moment_leave_the_last_whole_checkpoint(tmp_path: Path) -> None:
    save(folders_of(tmp_path, keep=1, run="whole"), 1)
    for kill in range(6):  # each time one of the ranks, in turn, has written its file
        folders_of(tmp_path, keep=1, run=f"start {kill}")[kill % 2].save(state(2, kill % 2), update=2, healthy=True)
    assert found_by(folders_of(tmp_path, keep=1, run="last")) == [(1, 0), (1, 1)]


def test_files_of_an_older_version_do_not_tell_their_start(tmp_path: Path) -> None:
    for run, number in (("first", 1), ("second", 2)):
        save(folders_of(tmp_path, run=run), number)
    for path in list(tmp_path.iterdir()):
        path.rename(tmp_path / re.sub(r"\.start-\w+", "", path.name))
    shutil.copy(tmp_path / "0001-update-00000001.rank-1-of-2.pt", tmp_path / "0002-update-00000002.rank-1-of-2.pt")
    with pytest.warns(CheckpointWarning, match="of another start"):
        assert found_by(folders_of(tmp_path)) == [(1, 0), (1, 1)]


def test_another_number_of_processes_finds_the_checkpoint_and_lets_it_go_later(tmp_path: Path) -> None:
    save(folders_of(tmp_path, 3), 1)
    two = folders_of(tmp_path, 2)
    assert found_by(two) == [(1, 0), (1, 1)]
    save(two, 5)
    assert (tmp_path / "0002-update-00000005.rank-1-of-2.pt").exists()
    assert len(list(tmp_path.glob("*-of-3.pt"))) == 3
    for number in (6, 7):
        save(two, number)
    assert found_by(two) == [(7, 0), (7, 1)]
    assert not list(tmp_path.glob("*-of-3.pt"))


def test_each_file_is_verified_by_one_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = folders_of(tmp_path, 3)
    save(folders, 1)
    save(folders, 2)
    verified: list[str] = []
    monkeypatch.setattr(files, "verify", lambda path: verified.append(path.name) or verify(path))
    newest(folders)
    assert sorted(verified) == [f"0002-update-00000002.rank-{rank}-of-3.pt" for rank in range(3)]


def test_a_rank_whose_files_are_gone_is_an_error_on_all_ranks(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    save(folders, 1)
    folders[0].mark_complete()
    (tmp_path / "0001-update-00000001.rank-1-of-2.pt").unlink()
    with pytest.raises(ResumeError, match="the file of rank 1 of 2 is missing"):
        newest(folders)


def test_without_the_files_of_rank_0_there_is_no_checkpoint(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    save(folders, 1)
    folders[0].mark_complete()
    (tmp_path / "0001-update-00000001.rank-0-of-2.pt").unlink()
    with pytest.raises(ResumeError, match="the files of rank 0 are missing"):
        newest(folders)


def test_later_checkpoints_tell_that_earlier_ones_were_finished(tmp_path: Path) -> None:
    folders = folders_of(tmp_path, keep=1)
    for number in (1, 2):
        folders[0].save(state(number, 0), update=number, healthy=True)
    with pytest.raises(ResumeError, match="rank 1 of 2"):
        newest(folders)


def test_a_first_checkpoint_that_was_cut_off_is_told_and_the_run_starts_anew(tmp_path: Path) -> None:
    folders = folders_of(tmp_path)
    folders[0].save(state(1, 0), update=1, healthy=True)
    with pytest.warns(CheckpointWarning, match=r"was never finished .*The run starts anew"):
        assert found_by(folders) == [None, None]
