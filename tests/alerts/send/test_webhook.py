"""JSON by POST to a real server."""

import base64
import socket

import pytest

from surefoot.alerts.send import DestinationError, SendError, destination
from tests.alerts.receiving import receiving


def test_it_arrives_with_what_the_address_asks_for() -> None:
    with receiving() as receiver:
        url = f"json://me:pass%20word@127.0.0.1:{receiver.port}/a/TOKEN%20ü?+X-Key=k%3D1&+X-Other=2"
        where = destination(url)
        where.send({"title": "hello", "message": "ö"})
    assert receiver.posted == [{"title": "hello", "message": "ö"}]
    assert receiver.paths == ["/a/TOKEN%20%C3%BC"]
    (headers,) = receiver.headers
    assert (headers["X-Key"], headers["X-Other"], headers["Content-Type"]) == ("k=1", "2", "application/json")
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"me:pass word"
    assert where.shown == f"json://127.0.0.1:{receiver.port}/…"


@pytest.mark.parametrize(("status", "may_pass"), [(500, True), (503, True), (429, True), (404, False), (302, False)])
def test_an_answer_that_is_no_success(status: int, may_pass: bool) -> None:
    with receiving(status) as receiver, pytest.raises(SendError, match=f"it answered {status}") as failed:
        destination(receiver.url).send({})
    assert failed.value.may_pass is may_pass
    assert "SECRET" not in str(failed.value)


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(SendError, match="refused") as failed:
        destination(f"json://127.0.0.1:{port}/SECRET").send({})
    assert failed.value.may_pass


def test_a_server_that_hangs_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = destination(f"json://127.0.0.1:{server.getsockname()[1]}/SECRET")
        server.settimeout(10)

        import threading

        thread = threading.Thread(target=lambda: server.accept()[0].close())
        thread.start()
        with pytest.raises(SendError) as failed:
            where.send({})
        thread.join()
    assert "SECRET" not in str(failed.value)


@pytest.mark.parametrize("url", ["json://", "jsons:///hook", "json://host:port/x", "json://a b/hook"])
def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(DestinationError, match="needs a host"):
        destination(url)


def test_an_address_may_lie_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_HOOK", "jsons://example.org/TOKEN")
    assert destination("env:MY_HOOK").shown == "jsons://example.org/…"
    with pytest.raises(DestinationError, match="NO_HOOK holds no address"):
        destination("env:NO_HOOK")
