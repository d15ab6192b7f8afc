"""A folder that held a good checkpoint always holds one, whatever happens while it is written."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
import torch

from surefoot.loop.checkpoint import CheckpointWarning, Folder
from surefoot.loop.checkpoint import file as file_module
from surefoot.loop.checkpoint.file import _Summed
from surefoot.loop.checkpoint.files import Files, Meeting
from surefoot.loop.checkpoint.folder import ResumeError
from tests.loop.checkpoint.killed import run_until_killed

# Every call by which saving touches the disk.
STEPS = [(os, "fsync"), (os, "replace"), (os, "open"), (Path, "open"), (Path, "unlink"), (_Summed, "write")]


def state(number: int) -> dict[str, Any]:
    return {"number": number, "weights": torch.full((300,), float(number))}


class SecondRank(Meeting):
    """What rank 1 hears from a rank 0 whose files are all right."""

    def from_first(self, value: Any) -> Any:
        return "" if value is None else value

    def put_together(self, files: Files) -> dict[str, Any]:
        return files.load(1)


def number_in(folder: Folder) -> int | None:
    found = folder.newest(ranks=SecondRank() if folder.rank else None)
    return None if found is None else found[1]["number"]


def names(folder: Folder) -> list[str]:
    return sorted(path.name for path in folder.path.iterdir())


def test_the_newest_comes_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "new" / "folder")
    assert folder.newest() is None
    for number in range(1, 4):
        path = folder.save(state(number), update=number, healthy=True)
        found = folder.newest()
        assert found is not None
        assert found[0] == path
        assert torch.equal(found[1]["weights"], state(number)["weights"])
    assert names(folder) == ["0002-update-00000002.pt", "0003-update-00000003.pt"]


@pytest.mark.parametrize(("keep", "rank", "steps"), [(1, 0, STEPS), (2, 0, STEPS[:-1]), (1, 1, STEPS[:-1])])
def test_killed_at_every_moment_of_a_save(tmp_path: Path, keep: int, rank: int, steps: list[tuple[Any, str]]) -> None:
    """Real processes, really killed, one for each moment before and after each call that touches the disk."""
    moment, was_killed, survivors = 0, True, set()
    while was_killed:
        folder = Folder(tmp_path / str(moment), keep, rank=rank, world_size=rank + 1)
        if rank:
            for number in (2, 3):
                Folder(folder.path, 4, world_size=2).save(state(number), update=number, healthy=True)
        folder.save(state(2), update=2, healthy=True)
        was_killed = run_until_killed(lambda: folder.save(state(3), update=3, healthy=True), steps, moment)  # noqa: B023
        survivors.add(number_in(folder))
        assert number_in(folder) in ((2, 3) if was_killed else (3,)), moment
        folder.save(state(3), update=3, healthy=True)
        assert number_in(folder) == 3
        assert not [name for name in names(folder) if name.endswith(".tmp")]
        moment += 1
    assert moment > len(steps)
    assert survivors == {2, 3}


def test_every_failing_call_leaves_the_old_ones_and_training_goes_on(tmp_path: Path) -> None:
    for holder, name in [*STEPS[:4], (Path, "mkdir"), (_Summed, "flush")]:
        folder = Folder(tmp_path / f"{holder.__name__}.{name}")
        folder.save(state(1), update=1, healthy=True)
        original = getattr(holder, name)
        setattr(holder, name, fail_when_writing(original))
        try:
            with pytest.warns(CheckpointWarning, match="No space left on device. Training goes on; older checkpoints"):
                assert folder.save(state(2), update=2, healthy=True) is None
        finally:
            setattr(holder, name, original)
        if name != "open" or holder is not os:  # there only the folder's own name was not yet made to last
            assert number_in(folder) == 1
            assert len(names(folder)) == 1


def fail_when_writing(original: Callable[..., Any]) -> Callable[..., Any]:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    return fail


class FullDisk:
    """A file on a disk with room for so many bytes."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self.file, self.room = file, room

    def __enter__(self) -> "FullDisk":
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)


@pytest.mark.parametrize("room", [0, 100, 1500, 2500])
def test_a_full_disk_is_told_once_and_again_when_it_is_full_of_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    folder = Folder(tmp_path)
    folder.save(state(1), update=1, healthy=True)
    plain_open = Path.open

    def open_full(path: Path, mode: str = "r") -> Any:
        opened = plain_open(path, mode)
        return FullDisk(opened, room) if mode == "wb" else opened

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.warns(CheckpointWarning, match="No space left") as told:
        assert [folder.save(state(2), update=number, healthy=True) for number in range(2, 6)] == [None] * 4
    assert len(told) == 1
    monkeypatch.undo()
    assert names(folder) == ["0001-update-00000001.pt"]
    monkeypatch.setattr(file_module.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output")))
    with pytest.warns(CheckpointWarning, match="Input/output"):
        assert folder.save(state(2), update=7, healthy=True) is None
    monkeypatch.undo()
    assert number_in(folder) == 1
    folder.save(state(2), update=8, healthy=True)
    assert number_in(folder) == 2


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_the_mark(data: bytes) -> bytes:
    return data[:-1]


def cut_the_middle(data: bytes) -> bytes:
    return data[:100] + data[200:]


def flip_in_state(data: bytes) -> bytes:
    return data[:700] + bytes([data[700] ^ 1]) + data[701:]


def flip_in_about(data: bytes) -> bytes:
    return data.replace(b'{"run": ""}', b'{"ruN": ""}')


def empty(data: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (cut, "cut short"), (cut_the_mark, "the mark at its end is missing"), (cut_the_middle, "were written"),
        (flip_in_state, "sha256 differs"), (flip_in_about, "sha256 differs"), (empty, "is empty"),
        (lambda data: data[:10], "cut short after 10 bytes"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_told_and_passed_over(tmp_path: Path, damage: Callable[[bytes], bytes], said: str) -> None:
    folder = Folder(tmp_path)
    folder.save(state(1), update=1, healthy=True)
    path = folder.save(state(2), update=2, healthy=True)
    assert path is not None
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(CheckpointWarning, match=f"(?s)Passed over the checkpoint {path.name}.*{said}") as told:
        assert number_in(folder) == 1
        assert number_in(folder) == 1
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore:Passed over")
def test_a_damaged_newest_one_never_pushes_out_the_next(tmp_path: Path) -> None:
    folder = Folder(tmp_path, keep=1)
    folder.save(state(1), update=10, healthy=True)
    damaged = folder.save(state(2), update=20, healthy=True)
    assert damaged is not None
    damaged.write_bytes(b"")
    folder.save(state(3), update=15, healthy=True)  # the run went back and comes along again
    assert number_in(folder) == 3


def test_the_last_saved_is_the_newest_whatever_its_update(tmp_path: Path) -> None:
    Folder(tmp_path).save(state(1), update=20, healthy=True)
    begun_again = Folder(tmp_path)
    for number in (2, 3, 4):
        begun_again.save(state(number), update=number, healthy=True)
        assert number_in(begun_again) == number


def test_the_file_is_on_the_disk_before_its_name_and_its_name_before_older_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path, keep=1)
    folder.save(state(1), update=1, healthy=True)
    called: list[str] = []
    for holder, name in [(os, "fsync"), (os, "replace"), (Path, "unlink")]:
        monkeypatch.setattr(holder, name, noting(getattr(holder, name), name, called))
    folder.save(state(2), update=2, healthy=True)
    assert called == ["fsync", "replace", "fsync", "unlink"]


def noting(original: Callable[..., Any], name: str, called: list[str]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        called.append(name)
        return original(*args, **kwargs)

    return noted


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_unhealthy_ones_never_push_out_the_newest_healthy_one(tmp_path: Path, keep: int) -> None:
    folder = Folder(tmp_path, keep)
    for number in (1, 2):
        folder.save(state(number), update=number, healthy=True)
    for number in range(3, 10):
        folder.save(state(number), update=number, healthy=False)
        assert number_in(folder) == 2
    assert len(names(folder)) == keep + 1
    folder.save(state(10), update=10, healthy=True)
    assert number_in(folder) == 10
    assert len(names(folder)) == keep


def test_unhealthy_ones_alone_are_few_and_never_taken(tmp_path: Path) -> None:
    folder = Folder(tmp_path, keep=2)
    for number in range(5):
        folder.save(state(number), update=number, healthy=False)
    with pytest.raises(ResumeError, match="none to resume from: all of them have weights that are not finite"):
        folder.newest()
    assert len(names(folder)) == 2


def test_a_run_whose_files_are_all_damaged_does_not_start_over(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    path = folder.save(state(1), update=1, healthy=True)
    assert path is not None
    path.write_bytes(b"")
    with pytest.raises(ResumeError, match=rf"none to resume from: {path.name}: .*is empty\. Bring the files back"):
        folder.newest()


def test_two_moments_of_one_update_are_two_checkpoints(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.save(state(1), update=5, healthy=True)
    path = folder.save(state(2), update=5, healthy=True, micro_batches=2)
    assert path is not None
    assert path.name == "0002-update-00000005+2.pt"
    assert number_in(folder) == 2


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    mine = [".mine.tmp", "notes.txt", "update-1.pt", ".0001-update-00000001.rank-1-of-2.pt.77.tmp"]
    for name in mine:
        (tmp_path / name).touch()
    left = tmp_path / ".0001-update-00000001.pt.77.tmp"
    left.touch()
    folder = Folder(tmp_path)
    folder.save(state(1), update=1, healthy=True)
    assert set(names(folder)) == {*mine, "0001-update-00000001.pt"}


def test_a_bug_in_the_state_is_no_full_disk(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"state\['a'\]\[1\] is a builtins.object"):
        Folder(tmp_path).save({"a": [1, object()]}, update=1, healthy=True)
    assert list(tmp_path.iterdir()) == []


def test_keep_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="keep must be at least 1, got 0"):
        Folder(tmp_path, keep=0)
