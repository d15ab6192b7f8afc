"""What the page is told of traces."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from surefoot.dashboard.data import traces
from surefoot.runlog.checksum import with_checksum
from surefoot.runlog.read import RunLogError
from tests.dashboard.client import Client

NAME = "20260104-120000-train-abcdef"
TRACE: dict[str, Any] = {
    "format": 1, "script": "train.py", "command": ["train.py", "--lr", "1"], "started": "2026-01-04T12:00:00+00:00",
    "first": 1, "num_steps": 2, "num_taken": 2, "ended": "max-steps", "optimizers": [{"id": 1, "name": "SGD"}],
    "stages": [{"kind": "loss", "value": "NaN"}],
}  # fmt: skip


@pytest.fixture
def folder(log: Path) -> Path:
    place = log / "traces"
    place.mkdir()
    (place / f"{NAME}.json").write_text(json.dumps(TRACE), encoding="utf-8")
    return place


def test_they_are_listed_the_newest_first(client: Client, folder: Path) -> None:
    (folder / "20260105-120000-other-abcdef.json").write_text(json.dumps(TRACE), encoding="utf-8")
    (folder / ".20260106-120000-unfinished-abcdef.json").write_text("{", encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    told = client.get("/api/traces").json()["traces"]
    assert [row["name"] for row in told] == ["20260105-120000-other-abcdef", NAME]
    assert told[1]["command"] == ["train.py", "--lr", "1"] and told[1]["problem"] is None
    assert "stages" not in told[1]
    assert client.get("/api/traces").json()["traces"] == told
    assert "traces" not in [row["run"] for row in client.get("/api/runs").json()["runs"]]


def test_there_are_none(client: Client) -> None:
    assert client.get("/api/traces").json()["traces"] == []


def test_one_is_told_as_it_was_written(client: Client, folder: Path) -> None:
    assert client.get(f"/api/traces/{NAME}").json() == {"name": NAME, "trace": TRACE}


@pytest.mark.parametrize(
    "name", ["none", "..%2F..%2Fsecret", "../../secret", "%2Fetc%2Fpasswd", f"{NAME}.json", "", "link"]
)
def test_no_name_leads_elsewhere(client: Client, folder: Path, name: str) -> None:
    (folder.parent.parent / "secret.json").write_text(json.dumps({**TRACE, "script": "secret"}), encoding="utf-8")
    if hasattr(os, "symlink"):
        (folder / "link.json").symlink_to(folder.parent.parent / "secret.json")
    answer = client.get(f"/api/traces/{name}")
    assert "secret" not in answer.text.replace(name, "").replace("../../secret", "")
    assert answer.status_code == 404 or name == ""
    assert [row["name"] for row in client.get("/api/traces").json()["traces"]] == [NAME]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"format": 1, "stages": [', "is damaged"),
        (b'{"format": 1, "stages": [NaN]}', "NaN is no JSON"),
        (b"\xff\xfe", "can't be read"),
        (b"[" * 100_000, "is damaged"),
        (b"[]", "holds no trace"),
        (b'{"format": 7, "stages": []}', "has format 7, this surefoot reads 1"),
    ],
)
def test_damage_is_said(client: Client, folder: Path, text: bytes, said: str) -> None:
    (folder / f"{NAME}.json").write_bytes(text)
    answer = client.get(f"/api/traces/{NAME}")
    assert answer.status_code == 422 and said in answer.json()["error"]
    (row,) = client.get("/api/traces").json()["traces"]
    assert said in row["problem"]


def test_each_changed_bit_is_told_or_changes_nothing(folder: Path) -> None:
    file = folder / f"{NAME}.json"
    data = with_checksum(json.dumps(TRACE).encode())
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        try:
            told = json.loads(traces.read_trace(folder.parent, NAME)["trace"].text)
        except RunLogError:
            continue
        assert {key: told[key] for key in TRACE} == TRACE


def test_a_file_too_large_for_a_page_is_said(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST_BYTES", 100)
    monkeypatch.setattr(traces, "LISTED_BYTES", 100)
    answer = client.get(f"/api/traces/{NAME}")
    assert answer.status_code == 422 and "more than a page can show" in answer.json()["error"]
    (row,) = client.get("/api/traces").json()["traces"]
    assert row["name"] == NAME and "script" not in row
