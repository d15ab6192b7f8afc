"""What was handed over and not yet committed outlives the process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.runlog.read import RunLogError
from surefoot.runlog.read.run import read_run
from surefoot.runlog.write import log as log_module
from surefoot.runlog.write import store, thread, write_ahead
from surefoot.runlog.write.file_id import read_file_id
from surefoot.runlog.write.layout import Layout
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.recover import recover
from surefoot.runlog.write.write_ahead_format import FILE_STEP, read_write_ahead, write_ahead_files
from tests.runlog.write.stored import ask, meta, scalars

KILLED = """
import os, signal, time
from pathlib import Path
from surefoot.runlog.write import log as log_module
from surefoot.runlog.write.file_id import read_file_id
from surefoot.runlog.write.layout import Layout
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write import thread
log = RunLog(Path(FILE), {"rank": "0"}, print)
log.scalars(0, {"loss": 0.0})
log.flush()
thread.COMMIT_SECONDS = 60.0
log.flush()
for step in range(1, 10):
    log.scalars(step, {"loss": step / 8})
    log.scalars(step, {"new": step / 4, "it's": 0.5})
    time.sleep(0.006)  # longer than rows wait for others
os.kill(os.getpid(), signal.SIGKILL)
"""
FOUND = {
    "loss": [(step, step / 8) for step in range(10)],
    "new": [(step, step / 4) for step in range(1, 10)],
    "it's": [(step, 0.5) for step in range(1, 10)],
}


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    file = tmp_path / "rank-0.db"
    subprocess.run([sys.executable, "-c", KILLED.replace("FILE", repr(str(file)))], check=False)
    assert scalars(file) == {"loss": [(0, 0.0)]}, "the rest was not committed"
    return file


def numbers(file: Path) -> list[int]:
    """Of the rows in a tail."""
    return sorted(read_write_ahead(file).rows)


def assert_recovered(file: Path) -> None:
    found = scalars(file)
    assert {name: pairs[:-1] for name, pairs in found.items()}.keys() == FOUND.keys()
    for name, pairs in FOUND.items():  # the last row may have waited for others
        assert found[name] in (pairs, pairs[:-1])


def test_a_reader_finds_what_was_not_committed(killed: Path) -> None:
    beat = meta(killed)["beat"]
    read_run(killed.parent)
    assert_recovered(killed)
    assert not any(one.exists() for one in write_ahead_files(killed))
    assert (meta(killed)["beat"], meta(killed)["writer"]) == (beat, "")
    assert recover(killed) == 0


def test_the_next_writer_finds_it_too(killed: Path) -> None:
    log = RunLog(killed, {}, pytest.fail)
    log.scalars(10, {"more": 1.0})
    log.close()
    assert scalars(killed).pop("more") == [(10, 1.0)]
    found = scalars(killed)
    assert len(found["loss"]) in (9, 10)


def test_a_kill_between_the_making_of_the_file_and_its_first_commit(tmp_path: Path) -> None:
    """SQLite makes an empty file first."""
    file = tmp_path / "rank-0.db"
    program = KILLED.replace(
        "log = RunLog(",
        "from surefoot.runlog.write.store import Store\nStore._set_up = lambda self: time.sleep(60)\nlog = RunLog(",
    ).replace("log.flush()\n", "")
    subprocess.run([sys.executable, "-c", program.replace("FILE", repr(str(file)))], check=False)
    file.touch()
    assert file.stat().st_size == 0
    (process,) = read_run(tmp_path)
    assert process.problems == []
    found = scalars(file)
    assert len(found["loss"]) > 5 and all(rows == FOUND[name][: len(rows)] for name, rows in found.items())


def test_what_is_committed_is_not_brought_back(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A death after the commit of what was brought back, before the tail is removed."""
    kept = {one: one.read_bytes() for one in write_ahead_files(killed)}
    store.Store.set_meta, set_meta = lambda *_, **__: None, store.Store.set_meta  # type: ignore[method-assign, assignment]
    try:
        recover(killed)
    finally:
        store.Store.set_meta = set_meta  # type: ignore[method-assign]
    for one, data in kept.items():
        one.write_bytes(data)
    assert recover(killed) == 0
    assert_recovered(killed)


def test_a_damaged_end_is_left_out(killed: Path) -> None:
    (longest,) = sorted(write_ahead_files(killed), key=lambda one: len(one.read_bytes().rstrip(b"\0")))[1:]
    data = longest.read_bytes().rstrip(b"\0")
    longest.write_bytes((data[:-5] + b"\1\2\3\4\5").ljust(FILE_STEP, b"\0"))
    recover(killed)
    assert 7 <= len(scalars(killed)["new"]) < 9
    assert json.loads(meta(killed)["damage"]) == [
        f"{longest} is damaged: rows logged shortly before the kill may be lost."
    ]


def test_a_tail_that_can_not_be_read_is_named(killed: Path) -> None:
    killed.unlink()
    first, second = write_ahead_files(killed)
    first.unlink()
    first.mkdir()
    said: list[str] = []
    assert recover(killed, said.append) == 0
    assert len(said) == 1 and "can't be brought in" in said[0]
    first.rmdir()
    second.unlink()
    assert recover(killed, pytest.fail) == 0  # as after another reader has brought it in


def test_blocks_of_another_run_do_not_fit_in(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever part of a tail is another one's, its header or not."""
    other = tmp_path_factory.mktemp("other") / "rank-0.db"
    program = KILLED.replace("step / 8", "-1.0").replace("step / 4", "-1.0").replace('"rank": "0"', '"rank": "1"')
    subprocess.run([sys.executable, "-c", program.replace("FILE", repr(str(other)))], check=False)
    whole = {file: file.read_bytes() for file in [*killed.parent.iterdir()]}
    mine = max(write_ahead_files(killed), key=lambda file: len(file.read_bytes().rstrip(b"\0")))
    theirs = (other.parent / mine.name).read_bytes()
    for start, end in ((0, 40), (0, FILE_STEP), (64, FILE_STEP), (128, 600), (8, 4096)):
        for file in killed.parent.iterdir():
            file.unlink()
        for file, content in whole.items():
            file.write_bytes(content)
        mine.write_bytes(whole[mine][:start] + theirs[start:end] + whole[mine][end:])
        (process,) = read_run(killed.parent)
        assert process.problems
        assert all(set(rows) <= set(FOUND[name]) for name, rows in scalars(killed).items())


def test_a_tail_of_another_run_makes_no_file(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "rank-0.db"
    subprocess.run([sys.executable, "-c", KILLED.replace("FILE", repr(str(other)))], check=False)
    for mine, theirs in zip(write_ahead_files(killed), write_ahead_files(other), strict=True):
        mine.write_bytes(theirs.read_bytes())
        os.utime(mine, (0, 0))  # else it may be one that is just being made
    noted = read_file_id(killed)
    for end in ("", "-wal", "-shm"):
        killed.with_name(f"{killed.name}{end}").unlink(missing_ok=True)
    with pytest.raises(RunLogError, match="nothing in it is known to be of this run"):
        read_run(killed.parent)
    assert read_file_id(killed) == noted and not killed.exists()


def test_a_file_under_the_name_of_another_rank_is_refused(killed: Path) -> None:
    assert meta(killed)["rank"] == "0"
    other = killed.with_name("rank-3.db")
    recover(killed)
    killed.rename(other)
    with pytest.raises(RunLogError, match="was written by rank 0"):
        read_run(killed.parent)


def test_a_tail_is_left_alone_while_its_process_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread, "COMMIT_SECONDS", 60.0)
    file = tmp_path / "rank-0.db"
    log = RunLog(file, {}, pytest.fail)
    assert log.flush()
    log.scalars(1, {"loss": 0.5})
    assert recover(file) == 0
    assert numbers(file) == [0]
    assert log.flush()
    log.close()
    assert scalars(file) == {"loss": [(1, 0.5)]}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["rank-0.db", "rank-0.id"]


def test_where_nothing_can_be_written_it_is_read_as_it_is(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: Path, file_id: str) -> None:
        raise PermissionError(13, "read-only file system")

    monkeypatch.setattr("surefoot.runlog.write.recover.Store", refuse)
    assert len(read_run(killed.parent)) == 1
    assert scalars(killed) == {"loss": [(0, 0.0)]}


def test_a_disk_that_takes_no_commits_gets_no_endless_tail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead, "MOST_BYTES", 500)
    monkeypatch.setattr(write_ahead, "RUSH_SECONDS", 0.0)
    waiting = write_ahead.WriteAheadFile(tmp_path / "rank-0.db")
    waiting.open("id")
    layout = Layout([("scalar", "loss", "")])

    def add(numbers: range) -> None:
        for number in numbers:
            waiting.add([(layout, number, float(number), layout.pack(0.5), number)])

    def fail(*args: object) -> int:
        raise OSError("the disk is full")

    add(range(3))
    waiting.switch()  # that commit fails
    add(range(3, 5))
    waiting.switch()
    add(range(5, 7))
    assert numbers(tmp_path / "rank-0.db") == list(range(7))
    add(range(7, 50))
    assert len(numbers(tmp_path / "rank-0.db")) < 20
    waiting.clear(1)
    waiting.switch()
    add(range(50, 52))
    assert numbers(tmp_path / "rank-0.db")[-2:] == [50, 51]
    monkeypatch.setattr(os, "pwrite", fail)
    add(range(52, 53))  # a write that fails is no trouble
    assert waiting._current is None


def test_what_came_before_the_file_was_open_is_in_it_once(tmp_path: Path) -> None:
    layout = Layout([("scalar", "loss", "")])
    rows = [(layout, number, 1000.0, layout.pack(0.5), number) for number in range(5)]
    waiting = write_ahead.WriteAheadFile(tmp_path / "rank-0.db")
    waiting.open("id", rows[:4])
    for row in rows[3:]:  # the fourth came while the others were being written
        waiting.add([row])
    waiting.switch()  # what rushed by is written before its commit begins
    assert numbers(tmp_path / "rank-0.db") == [0, 1, 2, 3, 4]
    waiting.close(remove=True)


def test_there_is_no_tail_on_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (store, log_module):
        monkeypatch.setattr(module, "is_network", lambda folder: True)
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.scalars(1, {"loss": 0.5})
    log.flush()
    assert not any(one.exists() for one in write_ahead_files(tmp_path / "rank-0.db"))
    log.close()
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM chunks") == [(1,)]


def test_a_reader_leaves_files_alone_that_have_just_been_made(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    for one in write_ahead_files(file):
        one.touch()  # by a process that writes its name next, and then claims the database
    assert recover(file) == 0
    assert not file.exists()
    for one in write_ahead_files(file):
        os.utime(one, (0, 0))  # one that was killed before it did
    recover(file)
    assert file.exists()
