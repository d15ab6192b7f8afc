"""On a full disk nobody makes an index for SQLite, which could end the process with SIGBUS."""

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from surefoot.runlog.doctor import salvage_run
from surefoot.runlog.read.run import load_run
from surefoot.runlog.write import room
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.store import Store
from tests.runlog.making import LogFile


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "NEEDED_BYTES", 2**80)


def test_a_log_on_a_full_disk_is_read_without_an_index(tmp_path: Path, full_disk: None) -> None:
    with LogFile(tmp_path / "written" / "rank-0.db") as log:
        log.connection.execute("PRAGMA journal_mode=WAL")
        log.log([1, 2], loss=[2.0, 1.0])
        shutil.copytree(tmp_path / "written", tmp_path / "run")
    (tmp_path / "run" / "rank-0.db-shm").unlink(missing_ok=True)
    assert (tmp_path / "run" / "rank-0.db-wal").stat().st_size > 0
    run = load_run(tmp_path / "run")
    assert run.scalars("loss").values.tolist() == [2.0, 1.0] and run.problems == []
    assert not (tmp_path / "run" / "rank-0.db-shm").exists()


def test_a_log_is_not_begun_on_a_full_disk(tmp_path: Path, full_disk: None) -> None:
    said: list[str] = []
    log = RunLog(tmp_path / "rank-0.db", {}, said.append)
    log.scalars(1, {"loss": 0.5})
    assert not log.flush()
    log.close()
    assert [text.partition("rank-0.db ")[2] for text in said] == [
        "can't be written any more; training goes on. the disk is full"
    ]
    assert not (tmp_path / "rank-0.db").exists()


def test_what_a_tail_holds_stays_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "rank-0.db")
    store.close()
    (tmp_path / "rank-0.tail-0").write_bytes(b"\0" * 65536)
    monkeypatch.setattr(room, "NEEDED_BYTES", 2**80)
    monkeypatch.setattr("surefoot.runlog.write.recover.NAMELESS_SECONDS", -1.0)
    (problem,) = load_run(tmp_path).problems
    assert "is still in" in problem and "can't be brought in: the disk is full" in problem
    assert (tmp_path / "rank-0.tail-0").exists()


def test_nothing_is_salvaged_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LogFile(tmp_path / "run" / "rank-0.db") as log:
        log.log([1, 2], loss=[2.0, 1.0])
    monkeypatch.setattr(room, "NEEDED_BYTES", 2**80)
    with pytest.raises(OSError, match="the disk is full"):
        salvage_run(tmp_path / "run", tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
    monkeypatch.setattr(room, "NEEDED_BYTES", 0)
    assert salvage_run(tmp_path / "run", tmp_path / "saved") == []
    assert load_run(tmp_path / "saved").scalars("loss").values.tolist() == [2.0, 1.0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere blocks are not allocated in advance")
def test_an_index_has_all_its_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(32768)
        room.allocate(file.fileno())
        assert (tmp_path / "sparse").stat().st_blocks * 512 >= 32768
    store = Store(tmp_path / "rank-0.db")
    given: list[int] = []
    monkeypatch.setattr("surefoot.runlog.write.descriptor.allocate", given.append)
    store.write([], [], {"note": "once"})
    assert len(given) == 1
    store.close()


def test_a_disk_without_room_for_the_index_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> int:
        room.ctypes.set_errno(room.errno.ENOSPC)
        return -1

    monkeypatch.setattr(room, "_fallocate", lambda: refuse)
    with (tmp_path / "file").open("wb") as file, pytest.raises(sqlite3.OperationalError, match="the disk is full"):
        room.allocate(file.fileno())
