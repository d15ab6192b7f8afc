"""What is new, told by deltas: by a real server, to a real client."""

import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from surefoot.dashboard.data.cursor import as_text, from_text
from surefoot.dashboard.data.delta import thin
from surefoot.dashboard.data.encode import plain
from surefoot.dashboard.data.news import FolderNews, RunNews, ToldOfSeveral
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.follow import Cursor
from tests.runlog.making import FINISHED, RUNNING, LogFile

PATIENCE = 60.0  # of a busy machine


class Server:
    """`surefoot dash` in a process of its own."""

    def __init__(self, folder: Path, *args: str) -> None:
        command = [sys.executable, "-m", "surefoot", "dash", str(folder), "--no-browser", *args]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "DISPLAY": ""})
        assert self.process.stderr is not None
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line)
            if "token=" in line:
                break
        address = re.search(r"http://\S+", self.said[-1])
        assert address is not None, self.said
        self.address = address[0]
        self.client = httpx.Client(base_url=self.address.partition("?")[0], timeout=PATIENCE, follow_redirects=True)
        assert self.client.get(self.address).status_code == 200

    def end(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "runs", "--port", "0")
    yield server
    server.close()


def events(response: httpx.Response) -> Iterator[tuple[str, str, Any]]:
    """Name, id and data of each, as a browser reads them."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line and not line.startswith(":"):
            key, _, value = line.partition(": ")
            fields[key] = value
        elif not line and "event" in fields:
            yield fields["event"], fields["id"], json.loads(fields["data"])
            fields = {}


def test_a_run_is_followed_until_its_end_and_the_server_ends_at_once(server: Server, tmp_path: Path) -> None:
    with LogFile(tmp_path / "runs" / "a" / "rank-0.db", RUNNING) as file:
        file.log([1, 2], loss=[2.0, 1.0])
        told = server.client.get("api/runs/a").json()
        assert told["run"]["status"] == "running"
        with server.client.stream("GET", f"api/live?run=a&cursor={told['cursor']}") as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            news = events(response)
            assert next(news)[0] == "status"
            file.log([3, 4], loss=[0.5, math.nan], acc=[0.1, 0.2])
            event, cursor, data = next(news)
            assert (event, data["rank"], list(data["series"])) == ("rows", 0, ["loss", "acc"])
            assert data["series"]["loss"]["steps"] == [3, 4] and data["series"]["loss"]["values"] == [0.5, "NaN"]
            file.finding()
            file.event(4, "stop", "enough")
            found = [next(news) for _ in range(4)]
            kinds = [event for event, _, _ in found]
            assert {"findings", "events", "status"} <= set(kinds)
            file.meta(ended="2026-01-15T23:15:05+0100", reason="finished")
            while True:
                event, last, data = next(news)
                if event == "status" and data["status"] == "finished":
                    break
        headers = {"Last-Event-ID": cursor}
        with server.client.stream("GET", "api/live?run=a&cursor=rank-0=0.0.0.0.0", headers=headers) as response:
            again = events(response)
            assert {next(again)[0], next(again)[0]} == {"findings", "events"}, "it goes on where it was cut"
            assert next(again)[1] == last
            begun = time.monotonic()
            status, said = server.end()
        assert (status, said) == (0, "")
        assert time.monotonic() - begun < PATIENCE / 2


def test_a_folder_that_fills_is_followed(server: Server, tmp_path: Path) -> None:
    assert "no folder" in server.said[0]
    assert server.client.get("api/runs").json()["runs"] == []
    with server.client.stream("GET", "api/live") as response:
        news = events(response)
        with LogFile(tmp_path / "runs" / "a" / "rank-0.db", FINISHED) as file:
            file.log([1], loss=[2.0])
        event, _, data = next(news)
        assert (event, data["runs"][0]["run"], data["gone"]) == ("runs", "a", [])
        for part in (tmp_path / "runs" / "a").iterdir():
            part.unlink()
        while not data["gone"]:
            _, _, data = next(news)
        assert data["gone"] == ["a"]


def test_a_taken_port_gives_way_to_the_next(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = Server(tmp_path, "--port", str(port))
        try:
            assert f"port {port} is taken" in "".join(server.said)
            assert f":{port}/" not in server.address
        finally:
            server.close()


def test_listeners_who_have_read_equally_far_share_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db", RUNNING) as file:
        file.log([1], loss=[1.0])
        news = RunNews(RunCache(tmp_path), "a")
        assert news.look() and not news.look()
        one, two = news.since(""), news.since("")
        assert [kind for kind, _, _ in one.next()] == [kind for kind, _, _ in two.next()] == ["status"]
        reads = []
        read = RunNews._news
        monkeypatch.setattr(
            RunNews, "_news", lambda self, run, cursor: (reads.append(cursor), read(self, run, cursor))[1]
        )
        file.log([2], loss=[0.5])
        assert news.look()
        for listener in (one, two):
            assert [kind for kind, _, _ in listener.next()] == ["rows", "status"]
        assert len(reads) == 1
        assert [kind for kind, _, _ in one.next()] == []


def test_a_process_that_is_gone_is_noticed_without_a_write(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    from surefoot.runlog.process_identity import started

    meta = {**RUNNING, "pid": str(child.pid), "process_started": started(child.pid)}
    with LogFile(tmp_path / "a" / "rank-0.db", meta) as file:
        file.log([1], loss=[1.0])
        news = RunNews(RunCache(tmp_path), "a")
        news.look()
        listener = news.since("")
        assert listener.next()[0][2]["status"] == "running"
        child.communicate(b"\n")
        news._status_due = 0.0
        assert news.look()
        assert listener.next()[0][2]["status"] == "crashed"
        assert not news.look()


def test_a_run_that_is_deleted(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db") as file:
        file.log([1], loss=[1.0])
    news = RunNews(RunCache(tmp_path), "a")
    news.look()
    listener = news.since("")
    listener.next()
    file.file.unlink()
    (tmp_path / "a").rmdir()
    assert news.look()
    assert listener.next()[0][2]["status"] == "gone"


def test_only_rows_that_changed_are_told(tmp_path: Path) -> None:
    for name in "ab":
        with LogFile(tmp_path / name / "rank-0.db", FINISHED) as file:
            file.log([1], loss=[math.nan])
    news = FolderNews(RunCache(tmp_path))
    listener = news.since("")
    assert [row["run"] for row in listener.next()[0][2]["runs"]] == ["b", "a"]
    with LogFile(tmp_path / "c" / "rank-0.db", FINISHED) as file:
        file.log([1], loss=[1.0])
    assert news.look()
    assert [row["run"] for row in listener.next()[0][2]["runs"]] == ["c"]
    assert listener.next() == []


def test_cursors_as_text() -> None:
    cursors = {"rank-0": Cursor(1, 2, 3, 4, 5), "child-77": Cursor()}
    assert from_text(as_text(cursors)) == cursors
    for text in ("", "~", "rank-0=1.2", "rank-0=a.b.c.d.e", "=1.2.3.4.5", "../x=1.2.3.4.5", "rank-0=1.2.3.4.5.6"):
        assert from_text(text) == {}


def test_many_new_rows_are_thinned_but_not_their_extremes() -> None:
    values = np.sin(np.arange(100_000) / 77)
    values[[5000, 60_000]] = 99, -99
    values[70_000] = math.inf
    some = thin(Column(np.arange(100_000), np.arange(100_000.0), values))
    assert len(some) <= 400 and (some.steps[1:] > some.steps[:-1]).all()
    assert {99, -99, math.inf} <= set(some.values.tolist())
    assert (values[some.steps] == some.values).all() and some.steps[-1] == 99_999


def test_several_runs_in_one_stream(tmp_path: Path) -> None:
    files = [LogFile(tmp_path / name / "rank-0.db", RUNNING) for name in ("one", "two")]
    with files[0] as one, files[1] as two:
        one.log([1], loss=[1.0])
        two.log([1], loss=[2.0])
        one.connection.commit()
        two.connection.commit()
        news = {name: RunNews(RunCache(tmp_path), name) for name in ("one", "two")}
        assert all(event == "status" for event, _, _ in ToldOfSeveral(news, "").next()), "from now on"
        told = ToldOfSeveral(news, "rank-0=0.0.0.0.0!rank-0=0.0.0.0.0")
        found = {data["run"]: data for event, _, data in told.next() if event == "rows"}
        losses = {name: plain(data["series"])["loss"]["values"] for name, data in found.items()}
        assert losses == {"one": [1], "two": [2]}
        two.log([2], loss=[3.0])
        two.connection.commit()
        assert news["two"].look()
        (rows,) = [message for message in told.next() if message[0] == "rows"]
        assert rows[2]["run"] == "two" and plain(rows[2]["series"])["loss"]["steps"] == [2]
        again = ToldOfSeveral(news, rows[1])
        assert [event for event, _, _ in again.next() if event == "rows"] == [], "it goes on where it was"


def test_a_stream_of_several_runs_over_the_wire(server: Server, tmp_path: Path) -> None:
    for name in ("one", "two"):
        with LogFile(tmp_path / "runs" / name / "rank-0.db", FINISHED) as file:
            file.log([1], loss=[1.0])
    assert server.client.get("/api/live?run=one&run=none").status_code == 404
    assert server.client.get("/api/live?" + "run=one&" * 65).status_code == 400
    with server.client.stream("GET", "/api/live?run=one&run=two&cursor=x!y") as response:
        seen = set()
        for event, _, data in events(response):
            seen.add((event, data["run"]))
            if {("rows", "one"), ("rows", "two"), ("status", "two")} <= seen:
                break
