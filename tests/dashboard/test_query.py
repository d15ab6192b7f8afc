"""SQL from the page: it reads this folder's runs, within limits, and nothing else."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from surefoot.dashboard.data import question
from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from surefoot.runlog.box.box import Question
from surefoot.runlog.box.boxes import Boxes, Stop
from surefoot.runlog.box.error import QueryError
from tests.dashboard.client import ADDRESS, Client
from tests.dashboard.conftest import TRAIN

OWN = {"Origin": ADDRESS}
LONG = "SELECT count(*) FROM range(1000000000000) a, range(1000000) b WHERE a.range + b.range = 7"


def asked(client: Client, sql: str) -> Any:
    return client.post("/api/query", json={"sql": sql}, headers=OWN)


def told(client: Client, sql: str) -> dict[str, Any]:
    """An answer's lines, put together."""
    found: dict[str, Any] = {"rows": []}
    for line in asked(client, sql).text.splitlines():
        part = json.loads(line)
        found["rows"] += part.pop("rows", [])
        found |= part
    return found


def test_an_answer(client: Client) -> None:
    found = told(client, f"SELECT rank, count(*) AS num, max(time) FROM scalars WHERE run = '{TRAIN}' GROUP BY rank")
    assert found["columns"][:2] == ["rank", "num"] and found["types"][:2] == ["INTEGER", "BIGINT"]
    assert [row[:2] for row in sorted(found["rows"])] == [[0, 200], [1, 10]]
    assert not found["is_cut"] and found["seconds"] >= 0
    assert any("20260103-bad" in problem for problem in found["problems"])


def test_rows_come_in_lines_and_what_fails_late_is_the_last_of_them(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.loads(line) for line in asked(client, "SELECT * FROM range(9000)").text.splitlines()]
    assert [sorted(line) for line in lines] == [
        ["columns", "problems", "types"],
        *[["rows"]] * 3,
        ["is_cut", "seconds"],
    ]
    monkeypatch.setattr(question, "MOST_BYTES", 30_000)
    *_, last = asked(client, "SELECT range, repeat('x', 5) FROM range(9000)").text.splitlines()
    assert "the answer is larger than" in json.loads(last)["error"]


def test_long_answers_are_cut(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question, "MOST_ROWS", 7)
    found = told(client, "SELECT step FROM scalars ORDER BY step")
    assert len(found["rows"]) == 7 and found["is_cut"]
    found = told(client, "SELECT step FROM scalars LIMIT 7")
    assert len(found["rows"]) == 7 and not found["is_cut"]


def test_values_of_all_kinds(client: Client) -> None:
    odd = "'nan'::DOUBLE, 'inf'::DOUBLE, NULL, TIMESTAMP '2026-01-01 10:00:00', 1.5::DECIMAL(4,2)"
    found = told(client, f"SELECT {odd}, [1, 2], {{'a': '</script>'}}")
    assert found["rows"] == [["NaN", "Infinity", None, "2026-01-01T10:00:00Z", 1.5, [1, 2], {"a": "</script>"}]]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{secret}')", "SELECT * FROM '{secret}'", "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM glob('/*')", "COPY (SELECT 1) TO '{secret}'", "ATTACH '{secret}'", "INSTALL httpfs",
        "SET enable_external_access = true", "SELECT 1; SELECT 2", "CREATE TABLE a AS SELECT 1", "DROP TABLE runs",
        "SELECT getenv('HOME')", "PRAGMA database_list", "nonsense", "", "SELECT * FROM query('SELECT 1')",
    ],
)  # fmt: skip
def test_what_is_not_a_question_about_runs_is_refused(client: Client, log: Path, sql: str) -> None:
    answer = asked(client, sql.format(secret=log.parent / "secret.txt"))
    assert answer.status_code == 400
    assert answer.json()["error"] and '"secret"' not in answer.text
    assert (log.parent / "secret.txt").read_text(encoding="utf-8") == "secret"


@pytest.mark.parametrize("body", [b"", b"[]", b'{"sql": 1}', b"{", b'{"sql": "' + b"x" * 200_000 + b'"}'])
def test_what_is_no_question_is_refused(client: Client, body: bytes) -> None:
    headers = {**OWN, "Content-Type": "application/json"}
    assert client.post("/api/query", content=body, headers=headers).status_code == 400


def test_a_form_of_another_site_could_not_even_be_read(client: Client) -> None:
    headers = {**OWN, "Content-Type": "text/plain"}
    assert client.post("/api/query", content=b'{"sql": "SELECT 1"}', headers=headers).status_code == 415


def test_a_long_query_ends_at_the_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question, "SECONDS", 0.2)
    answer = asked(client, LONG)
    assert answer.status_code == 400 and "0.2 s" in answer.json()["error"]


def test_a_query_ends_when_nobody_waits_for_it_and_holds_up_nobody(log: Path) -> None:
    auth = Auth()
    app, live = make_app(log, auth)

    async def both() -> None:
        told: list[Any] = []
        gone = asyncio.Event()
        body = b'{"sql": "' + LONG.encode() + b'"}'
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            told.append(message)

        cookie = f"{auth.cookie}={auth._secret}".encode()
        headers = [
            (b"host", b"127.0.0.1:6180"), (b"origin", ADDRESS.encode()), (b"cookie", cookie),
            (b"content-type", b"application/json"),
        ]  # fmt: skip
        scope = {
            "type": "http", "method": "POST", "path": "/api/query", "raw_path": b"/api/query", "query_string": b"",
            "headers": headers, "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        }  # fmt: skip
        query = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]
        await asyncio.sleep(0.3)
        assert not query.done()
        async with asyncio.timeout(20):
            read = [{**scope, "method": "GET", "path": "/api/runs", "raw_path": b"/api/runs", "headers": headers[:3]}]
            await app(read[0], receive_nothing, send)  # type: ignore[arg-type]
            assert told[0]["status"] == 200, "another answer did not wait for it"
            gone.set()
            await query

    async def receive_nothing() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    begun = time.monotonic()
    asyncio.run(both())
    assert time.monotonic() - begun < question.SECONDS
    live.close()


def test_a_query_that_was_stopped_before_it_began(log: Path) -> None:
    stop = Stop()
    stop.ask()
    boxes = Boxes("1GB")
    try:
        with pytest.raises(QueryError, match="stopped"), boxes.asked(Question("SELECT 1", log), stop):
            pass
    finally:
        boxes.close()
