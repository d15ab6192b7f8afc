"""Following a run: nothing twice, nothing left out, also across sealing, and the writer never waits."""

import sqlite3
import threading
from pathlib import Path

import pytest

from surefoot.runlog.read import follow, read_process
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.follow import Cursor, News
from tests.runlog.making import RUNNING, LogFile


def steps(news: News) -> list[int]:
    return [step for column in news.columns.values() for step in column.steps.tolist()]


def test_what_is_new_comes_once(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "rank-0.db", RUNNING)
    process = read_process(log.file)
    empty = process.after()
    assert not empty
    assert empty.cursor == Cursor()
    log.log([1, 2], loss=[1.0, 2.0])
    first = process.after(empty.cursor)
    assert steps(first) == [1, 2]
    assert not process.after(first.cursor)
    log.log([3], loss=[3.0])
    log.seal()
    log.log([4], loss=[4.0])
    second = process.after(first.cursor)
    assert steps(second) == [3, 4]
    log.seal()
    assert not process.after(second.cursor)
    assert steps(process.after()) == [1, 2, 3, 4]
    log.close()


def test_findings_and_events_are_news(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "rank-0.db", RUNNING)
    process = read_process(log.file)
    log.finding()
    log.event(7, "stop", "enough")
    news = process.after()
    assert news.new_findings
    assert [event.text for event in news.events] == ["enough"]
    assert not process.after(news.cursor)
    log.connection.execute("UPDATE findings SET count = count + 1")
    assert process.after(news.cursor).new_findings
    log.close()


def test_what_is_sealed_in_between_comes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that arrive, and are sealed, after the end was noted belong to the next call."""
    log = LogFile(tmp_path / "rank-0.db", RUNNING)
    log.log([1], loss=[1.0])
    original = follow.read_columns

    def slow(*args: object, **kwargs: object) -> object:
        monkeypatch.setattr(follow, "read_columns", original)
        log.log([2], loss=[2.0])
        log.seal()
        return original(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(follow, "read_columns", slow)
    process = read_process(log.file)
    first = process.after()
    second = process.after(first.cursor)
    assert (steps(first), steps(second)) == ([1], [2])
    log.close()


def test_an_open_reader_does_not_hold_up_the_writer(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "rank-0.db", RUNNING)
    log.log([1], loss=[1.0])
    log.connection.execute("PRAGMA busy_timeout=0")
    with snapshot(log.file) as connection:
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (1,)
        log.log([2], loss=[2.0])
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (1,), "one snapshot"
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM chunks")
    assert steps(read_process(log.file).after()) == [1, 2]
    log.close()


def test_a_tail_beside_a_writer_sees_every_step_once(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    LogFile(file, RUNNING).close()
    done = threading.Event()

    def write() -> None:
        with LogFile(file, RUNNING) as log:
            for part in range(30):
                log.log(range(part * 10, part * 10 + 10), size=3, loss=[1.0] * 10)
                if part % 7 == 6:
                    log.seal()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    process, cursor, seen = read_process(file), Cursor(), []
    while not done.is_set():
        news = process.after(cursor)
        cursor = news.cursor
        seen += steps(news)
    writer.join()
    seen += steps(process.after(cursor))
    assert seen == list(range(300))
