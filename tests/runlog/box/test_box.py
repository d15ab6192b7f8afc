"""Queries in processes of their own: what they answer, and how they end when they take too much."""

import io
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from surefoot.runlog.box import wire
from surefoot.runlog.box.box import Question
from surefoot.runlog.box.boxes import Boxes, Stop
from surefoot.runlog.box.confine import read_memory
from surefoot.runlog.box.error import QueryError
from surefoot.runlog.read.error import RunLogError
from tests.runlog.making import LogFile

LONG = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boxed")
    with LogFile(folder / "runs" / "a" / "rank-0.db") as log:
        log.log([1, 2], loss=[1.0, 2.0])
    return folder


@pytest.fixture(scope="module")
def boxes() -> Iterator[Boxes]:
    with closing(Boxes("256MB", most=3, wait_seconds=0.2)) as boxes:
        yield boxes


def ask(boxes: Boxes, folder: Path, sql: str, **limits: Any) -> list[Any]:
    with boxes.asked(Question(sql, folder / "runs", **limits)) as answer:
        return answer.rows()


def test_answers_are_those_of_duckdb_and_one_process_gives_them(boxes: Boxes, folder: Path) -> None:
    with boxes.asked(Question("SELECT step, value FROM scalars ORDER BY step", folder / "runs")) as answer:
        assert (answer.columns, answer.types, answer.problems) == (["step", "value"], ["BIGINT", "DOUBLE"], [])
        assert answer.rows() == [(1, 1.0), (2, 2.0)] and not answer.is_cut
    (first,) = boxes._free
    kinds = "1.5::DECIMAL(4,2), DATE '2026-01-02', [1, NULL], {'a': 'ä'}, 'ab'::BLOB, true"
    ((*values,),) = ask(boxes, folder, f"SELECT {kinds}")
    assert values == [Decimal("1.50"), date(2026, 1, 2), [1, None], {"a": "ä"}, b"ab", True]
    with pytest.raises(QueryError, match="only SELECT"):
        ask(boxes, folder, "DROP TABLE runs")
    with pytest.raises(RunLogError, match="there is no folder"):
        ask(boxes, folder / "none", "SELECT 1")
    assert boxes._free == [first] and len(ask(boxes, folder, "FROM range(10000)")) == 10_000


@pytest.mark.parametrize(
    ("sql", "limits", "says"),
    [
        ("SELECT len(list(range)) FROM range(2000000000)", {}, "more memory than it may use"),
        ("SELECT repeat('x', 2000000000)", {}, "more memory than it may use"),
        (LONG, {"seconds": 0.3}, "took more than 0.3 s"),
        ("FROM range(1000)", {"rows": 999}, "more than 999 rows"),
        ("SELECT repeat('x', 1000) FROM range(1000)", {"bytes": 100_000}, "larger than 0 MB"),
    ],
)
def test_what_takes_too_much_is_stopped(
    boxes: Boxes, folder: Path, sql: str, limits: dict[str, Any], says: str
) -> None:
    with pytest.raises(QueryError, match=says):
        ask(boxes, folder, sql, **limits)
    assert ask(boxes, folder, "SELECT 1") == [(1,)]


def test_what_is_not_waited_for_is_cut(boxes: Boxes, folder: Path) -> None:
    with boxes.asked(Question("FROM range(1000)", folder / "runs", rows=10, cut=True)) as answer:
        assert len(answer.rows()) == 10 and answer.is_cut
    with boxes.asked(Question("FROM range(1000000)", folder / "runs")) as answer:
        next(answer.batches())  # and no more of it
    assert ask(boxes, folder, "SELECT 1") == [(1,)]


def test_two_heavy_queries_do_not_hold_up_a_third_and_can_be_stopped(boxes: Boxes, folder: Path) -> None:
    said: list[str] = []
    stops = [Stop(), Stop()]

    def heavy(stop: Stop) -> None:
        with pytest.raises(QueryError) as ended, boxes.asked(Question(LONG, folder / "runs"), stop) as answer:
            answer.rows()
        said.append(str(ended.value))

    threads = [threading.Thread(target=heavy, args=(stop,)) for stop in stops]
    for thread in threads:
        thread.start()
    while not all(stop._box for stop in stops):
        time.sleep(0.01)
    with boxes.asked(Question("SELECT 7", folder / "runs")) as answer:
        assert answer.rows() == [(7,)]
        with pytest.raises(QueryError, match="3 queries are running already"):
            ask(boxes, folder, "SELECT 1")
    for stop in stops:
        stop.ask()
    for thread in threads:
        thread.join()
    assert said == ["the query was stopped."] * 2
    assert ask(boxes, folder, "SELECT 1") == [(1,)]


def test_a_process_that_dies_is_told_and_replaced(boxes: Boxes, folder: Path) -> None:
    ask(boxes, folder, "SELECT 1")
    endless = Question("FROM range(100000000)", folder / "runs")
    dead = pytest.raises(QueryError, match=r"has ended with status -9, most likely because .* 256MB")
    with dead, boxes.asked(endless) as answer:
        os.kill(answer._box.pid, signal.SIGKILL)
        answer.rows()
    ask(boxes, folder, "SELECT 1")
    os.kill(boxes._free[-1].pid, signal.SIGKILL)  # while nobody asks
    boxes._free[-1]._process.wait()
    assert ask(boxes, folder, "SELECT 1") == [(1,)]


def test_what_is_idle_ends_and_nothing_outlives_the_end(folder: Path) -> None:
    boxes = Boxes("256MB", idle_seconds=0.01)
    boxes.warm_up()
    (box,) = boxes._all
    box._process.wait()  # hangs if nobody ends it
    while boxes._free:
        time.sleep(0.01)
    boxes.close()
    with pytest.raises(QueryError, match="is ending"):
        ask(boxes, folder, "SELECT 1")


def test_the_environment_is_not_passed_on(boxes: Boxes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_CANARY", "secret")
    with closing(Boxes("256MB")) as fresh:
        fresh.warm_up()
        (box,) = fresh._all
        ask(fresh, folder, "SELECT 1")
        environment = Path(f"/proc/{box.pid}/environ")
        if environment.exists():
            assert b"SUREFOOT_CANARY" not in environment.read_bytes()


def test_frames_keep_values_and_make_nothing_else() -> None:
    rows = [(1, "a", 1.5, None, b"x", datetime(2026, 1, 1, tzinfo=UTC), {"a": [Decimal(1)]})]
    assert wire.read(io.BytesIO(wire.pack(wire.ROWS, rows)), 10_000) == (wire.ROWS, rows)
    zoned = datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC"))
    assert wire.read(io.BytesIO(wire.pack(wire.ROWS, [zoned, Path("x")])), 10_000)[1] == [zoned.isoformat(), "x"]
    evil = pickle.dumps(os.system)
    frame = wire._FRAME.pack(wire.ROWS, len(evil)) + evil
    rubbish = frame[:9] + b"x" * 99
    for wrong, says in ((frame, "system"), (frame[:-3], "ended"), (b"", "ended"), (rubbish, "can't be read")):
        with pytest.raises(wire.FrameError, match=says):
            wire.read(io.BytesIO(wrong), 10_000)
    with pytest.raises(wire.FrameError, match="larger"):
        wire.read(io.BytesIO(frame), 3)


def test_amounts_of_memory() -> None:
    assert [read_memory(text) for text in ("2GB", "500 mb", "1.5k", "7")] == [2 * 10**9, 5 * 10**8, 1500, 7]
    with pytest.raises(ValueError, match='such as "2GB"'):
        read_memory("lots")
