"""From rows and findings to a real server, a dead one and a slow one."""

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from surefoot.alerts import sender
from surefoot.alerts.alert import About
from surefoot.alerts.dispatcher import AlertDispatcher
from surefoot.alerts.limit import BURST
from surefoot.alerts.request import alert
from tests.alerts.receiving import receiving
from tests.cli.command import make_finding

ABOUT = About("20260115-mine", "train.py", "here")


class Log:
    """In place of a run log."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, int]] = []
        self.said: list[str] = []
        self.num_commits = 0

    def note(self, kind: str, text: str, step: int) -> None:
        self.events.append((kind, text, step))

    def commit(self) -> None:
        self.num_commits += 1


@contextmanager
def desk_to(url: str, *on: str, log: Log | None = None, **more: Any) -> Iterator[AlertDispatcher]:
    log = log or Log()
    dispatcher = AlertDispatcher([alert(url, on)], ABOUT, say=log.said.append, note=log.note, commit=log.commit, **more)
    try:
        yield dispatcher
    finally:
        dispatcher.close()


def give(dispatcher: AlertDispatcher, step: int, at: float, **values: float) -> None:
    dispatcher.scalars(tuple(values), step, at, struct.pack(f"<{len(values)}d", *values.values()))


def to(server: socket.socket) -> str:
    return f"json://127.0.0.1:{server.getsockname()[1]}/SECRET"


def nobody() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return to(taken)


def test_a_finding_arrives() -> None:
    log = Log()
    with receiving() as receiver, desk_to(receiver.url, log=log) as dispatcher:
        dispatcher.finding(make_finding(severity="warning", rule="zero-learning-rate"))  # not asked for
        dispatcher.finding(make_finding(file="/a/train.py", line=3))
        (told,) = receiver.wait(1)
        dispatcher.close()
        dispatcher.close()
    assert told["title"] == "surefoot: error[stale-gradients] in train.py"
    assert told["message"] == "2 of 2 step twice\nat /a/train.py:3, step 2\nfix: clear them"
    assert (told["type"], told["version"]) == ("failure", "1.0")
    about = told["surefoot"]
    assert (about["run"], about["rule"], about["line"], about["held_back"]) == (ABOUT.run, "stale-gradients", 3, 0)
    assert log.events == [("alert", f"sent to json://127.0.0.1:{receiver.port}/…: error[stale-gradients]", 2)]
    assert log.num_commits == 1
    assert log.said == []


def test_an_expression_arrives_with_its_values() -> None:
    with receiving() as receiver, desk_to(receiver.url, "loss > 3 and lr < 1 for 2 steps") as dispatcher:
        for step in range(1, 9):
            give(dispatcher, step, 1000.0 + step, loss=float(step), lr=0.5)
        (told,) = receiver.wait(1)
    assert told["title"] == "surefoot: loss > 3 and lr < 1 for 2 steps in train.py"
    assert told["message"].endswith("at step 6: loss 6, lr 0.5")
    assert told["surefoot"]["values"] == {"loss": 6.0, "lr": 0.5}
    assert told["type"] == "warning"


def test_what_is_not_finite_is_told_in_words() -> None:
    with receiving() as receiver, desk_to(receiver.url, "not finite(loss)") as dispatcher:
        give(dispatcher, 1, 1.0, loss=float("nan"))
    assert receiver.posted[0]["surefoot"]["values"] == {"loss": "NaN"}


def test_time_that_passes_without_a_value() -> None:
    with receiving() as receiver, desk_to(receiver.url, "age(loss) > 600") as dispatcher:
        give(dispatcher, 1, time.time() - 700, loss=1.0)
        (told,) = receiver.wait(1)
    assert told["title"].startswith("surefoot: age(loss) > 600")


def test_a_flood_is_held_back_and_summed_up() -> None:
    log = Log()
    with receiving() as receiver, desk_to(receiver.url, log=log) as dispatcher:
        for line in range(BURST + 7):
            dispatcher.finding(make_finding(file="a.py", line=line))
    *told, last = receiver.posted
    assert len(told) == BURST
    assert last["title"] == "surefoot: 7 alerts held back in train.py"
    assert last["surefoot"]["held_back"] == 7
    assert ("alert-held", 0) in [(kind, step) for kind, _, step in log.events]


def test_an_expression_that_flickers_is_told_once() -> None:
    with receiving() as receiver, desk_to(receiver.url, "loss > 3") as dispatcher:
        for step in range(20):
            give(dispatcher, step, 1000.0 + step, loss=9.0 * (step % 2))
    first, rest = receiver.posted
    assert first["surefoot"]["step"] == 1
    assert rest["title"].startswith("surefoot: 9 alerts held back")
    assert rest["message"] == "9 times loss > 3"


def test_a_server_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "RETRY_SECONDS", (0.05, 0.05))
    log = Log()
    with receiving(500, 503) as receiver, desk_to(receiver.url, log=log) as dispatcher:
        dispatcher.finding(make_finding())
        receiver.wait(1)
    assert [kind for kind, _, _ in log.events] == ["alert"]


def test_a_dead_server_is_recorded_and_said_once() -> None:
    log = Log()
    started = time.monotonic()
    with desk_to(nobody(), log=log) as dispatcher:
        dispatcher.finding(make_finding(file="a.py", line=1))
        dispatcher.finding(make_finding(file="a.py", line=2))
    assert time.monotonic() - started < 20  # it waits 4 s at most; a busy machine may take its time
    assert [kind for kind, _, _ in log.events] == ["alert-failed"] * 2
    (said,) = log.said
    assert "could not be sent to json://127.0.0.1:" in said
    assert "refused" in said
    assert "SECRET" not in f"{log.events} {log.said}"


def test_the_end_does_not_wait_for_a_server_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.alerts.dispatcher.CLOSE_SECONDS", 0.3)
    log = Log()
    with socket.create_server(("127.0.0.1", 0)) as silent, desk_to(to(silent), log=log) as dispatcher:
        for line in range(3):
            dispatcher.finding(make_finding(file="a.py", line=line))
    assert [(kind, "the run ended before it was sent" in text) for kind, text, _ in log.events] == [
        ("alert-failed", True)
    ] * 3
    assert len(log.said) == 1


def test_one_that_hangs_holds_up_no_other() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, receiving() as receiver:
        dispatcher = AlertDispatcher([alert(to(silent)), alert(receiver.url)], ABOUT, say=lambda text: None)
        dispatcher.finding(make_finding())
        receiver.wait(1)
    dispatcher.close()


def test_too_many_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.alerts.dispatcher.MOST_ROWS", 3)
    monkeypatch.setattr("surefoot.alerts.dispatcher.LOOK_SECONDS", 60)
    log = Log()
    with receiving() as receiver, desk_to(receiver.url, "loss > 3", log=log) as dispatcher:
        for step in range(5):
            give(dispatcher, step, float(step), loss=0.0)
    assert log.events == [("alert-missed", "2 rows came too fast to be looked at", 0)]


def test_a_name_that_is_never_logged_is_said() -> None:
    log = Log()
    with receiving() as receiver, desk_to(receiver.url, "los > 3", log=log) as dispatcher:
        give(dispatcher, 1, 1.0, loss=9.0)
    assert log.said == ["an alert refers to 'los', which was never logged."]


def test_causes_that_others_tell_are_left_to_them() -> None:
    with receiving() as receiver, desk_to(receiver.url, claim=lambda cause: "a.py" in cause) as dispatcher:
        dispatcher.finding(make_finding(file="a.py", line=1))
        dispatcher.finding(make_finding(file="b.py", line=1))
    assert [told["surefoot"]["file"] for told in receiver.posted] == ["a.py"]


def test_a_failure_of_ours_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    with receiving() as receiver, desk_to(receiver.url, "loss > 3", log=log) as dispatcher:
        dispatcher.scalars(("loss",), 1, 1.0, b"no doubles")
    assert "alerts failed and are switched off; training goes on. error:" in log.said[0]
    assert log.events[0][0] == "alert-failed"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_tells_nothing() -> None:
    with receiving() as receiver, desk_to(receiver.url) as dispatcher:
        child = os.fork()
        if not child:
            dispatcher.finding(make_finding())
            dispatcher.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    assert receiver.posted == []


def test_requests_show_no_address() -> None:
    request = alert("json://127.0.0.1/SECRET", "loss > 3")
    assert "SECRET" not in repr(request)
    with pytest.raises(TypeError, match="goes to an address"):
        alert(3)  # type: ignore[arg-type]
