"""The process that computes: real ones, which die, hang, and are left."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest

from surefoot.dashboard.server.worker import Answer, Worker, WorkerError

ECHO = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if "cancel" in asked or asked["settings"] == "hang":
        continue
    if asked["settings"] == "die":
        os._exit(3)
    print("what is not an answer")
    print(json.dumps({"id": asked["id"], "said": asked["settings"], "pid": os.getpid()}), flush=True)
"""

Make = Callable[..., Worker]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Worker] = []

    def worker(**given: float) -> Worker:
        made.append(Worker("-c", ECHO, **given))
        return made[-1]

    yield worker
    for one in made:
        one.close()
        until(lambda one=one: one.pid is None)  # type: ignore[misc]


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def told(asked: tuple[int, Future[Answer]]) -> Answer:
    return asked[1].result(30)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def test_it_is_started_by_the_first_request_and_kept(make: Make) -> None:
    worker = make()
    assert worker.pid is None
    first, second = told(worker.ask({"a": 1})), told(worker.ask([2]))
    assert (first["said"], second["said"]) == ({"a": 1}, [2])
    assert first["pid"] == second["pid"] == worker.pid


def test_one_that_dies_is_told_and_replaced(make: Make) -> None:
    worker = make()
    pid = told(worker.ask("a"))["pid"]
    with pytest.raises(WorkerError, match="has ended with status 3"):
        told(worker.ask("die"))
    assert told(worker.ask("b"))["pid"] != pid


def test_one_that_hangs_is_ended_and_replaced(make: Make) -> None:
    worker = make(limit_seconds=1.0)
    _, future = worker.ask("hang")
    pid = worker.pid
    with pytest.raises(WorkerError, match="too long"):
        future.result(30)
    assert pid is not None and not is_alive(pid)
    worker._limit_seconds = 30
    assert told(worker.ask("b"))["said"] == "b"


def test_one_that_is_killed_between_requests_is_replaced(make: Make) -> None:
    worker = make()
    pid = told(worker.ask("a"))["pid"]
    os.kill(pid, 9 if os.name == "posix" else 15)
    until(lambda: worker.pid is None)
    assert told(worker.ask("b"))["pid"] != pid


def test_it_ends_when_nobody_asks_for_a_while(make: Make) -> None:
    worker = make(idle_seconds=0.3)
    pid = told(worker.ask("a"))["pid"]
    until(lambda: worker.pid is None)
    assert not is_alive(pid)
    assert told(worker.ask("b"))["pid"] != pid


def test_it_does_not_end_while_somebody_waits(make: Make) -> None:
    worker = make(idle_seconds=0.1, limit_seconds=30)
    worker.ask("hang")
    time.sleep(0.4)
    assert worker.pid is not None


def test_it_ends_with_the_server(make: Make) -> None:
    worker = make()
    pid = told(worker.ask("a"))["pid"]
    _, waiting = worker.ask("hang")
    worker.close()
    with pytest.raises(WorkerError):
        waiting.result(30)
    assert not is_alive(pid)
    with pytest.raises(WorkerError, match="ending"):
        worker.ask("b")


def test_what_is_not_there_is_told() -> None:
    worker = Worker("-c", "import sys; sys.exit(7)")
    with pytest.raises(WorkerError, match="status 7"):
        told(worker.ask("a"))
    assert sys.executable in worker._command
