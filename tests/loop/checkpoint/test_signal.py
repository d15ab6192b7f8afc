"""The first SIGTERM is held back and noted; everything after it is as it was before."""

import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from surefoot.loop.checkpoint import Termination


@pytest.fixture
def received() -> Iterator[list[int]]:
    """A program with a handler of its own."""
    numbers: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        numbers.append(number)

    before = signal.signal(signal.SIGTERM, note)
    yield numbers
    signal.signal(signal.SIGTERM, before)


def send() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_the_first_is_noted_and_the_second_acts(received: list[int]) -> None:
    with Termination() as termination:
        assert not termination.asked
        send()
        assert termination.asked
        assert received == []
        send()
        assert received == [signal.SIGTERM]
    assert received == [signal.SIGTERM] * 2


def test_the_old_handler_is_back_afterwards(received: list[int]) -> None:
    with Termination():
        pass
    send()
    assert received == [signal.SIGTERM]


def test_going_on_delivers_what_was_held_back(received: list[int]) -> None:
    with Termination() as termination:
        termination.go_on()
        assert received == []
        send()
        termination.go_on()
        assert received == [signal.SIGTERM]


def test_leaving_delivers_what_was_held_back(received: list[int]) -> None:
    with Termination():
        send()
    assert received == [signal.SIGTERM]


def test_a_forked_child_is_not_concerned() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with Termination():
        pid = os.fork()
        if pid == 0:
            send()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGTERM
    signal.signal(signal.SIGTERM, before)


def test_a_handler_that_was_set_inside_stays(received: list[int]) -> None:
    with Termination():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_an_ignored_signal_stays_ignored(received: list[int]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with Termination() as termination:
        send()
        assert not termination.asked


def test_other_threads_leave_it_alone(received: list[int]) -> None:
    seen: list[Any] = []

    def work() -> None:
        with Termination():
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_process_dies_of_it_as_it_would_have() -> None:
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with Termination() as termination:
            send()
            termination.go_on()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGTERM
