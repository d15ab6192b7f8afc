"""Runs of other tools, in files as these tools write them."""

import json
import sqlite3
import struct
import zlib
from pathlib import Path
from typing import Any

import duckdb
import pytest

import surefoot as sf
from surefoot.judge import Judge
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.exchange.finding import find_sources
from surefoot.runlog.exchange.importing import import_run
from surefoot.runlog.exchange.protobuf import bytes_field, int_field
from surefoot.runlog.exchange.source import SourceError


def imported(path: Path, into: Path, said: list[str] | None = None) -> list[Any]:
    """In the order in which they are found."""
    say = said.append if said is not None else pytest.fail
    folders = [import_run(source, into, say) for source in find_sources(path)]
    return [sf.open(into)[folder.name] for folder in folders]


def series(run: Any, name: str) -> list[tuple[int, float]]:
    found = run.scalars(name)
    return list(zip(found.steps.tolist(), found.values.tolist(), strict=True))


def settings(run: Any) -> dict[str, Any]:
    return {name: setting.value for name, setting in run.settings.items()}


def item(key: str, value: Any, number: int = 1, *, path: bool = False) -> bytes:
    return bytes_field(
        number, bytes_field(2 if path else 1, key.encode()) + bytes_field(16, json.dumps(value).encode())
    )


def wandb_file(file: Path, records: list[bytes]) -> Path:
    """Pieces as in LevelDB's log: none crosses the end of a block."""
    out = bytearray(struct.pack("<4sHB", b":W&B", 0xBEE1, 0))
    for record in records:
        rest, is_first = record, True
        while rest or is_first:
            room = 32768 - len(out) % 32768
            if room < 7:
                out += bytes(room)
                continue
            piece, rest = rest[: room - 7], rest[room - 7 :]
            kind = (1 if is_first else 4) if not rest else (2 if is_first else 3)
            out += struct.pack("<IHB", zlib.crc32(piece, zlib.crc32(bytes([kind]))), len(piece), kind) + piece
            is_first = False
    file.write_bytes(out)
    return file


def test_wandb(tmp_path: Path) -> None:
    run = bytes_field(17, bytes_field(4, item("lr", 0.1) + item("_wandb", {})) + bytes_field(8, b"first")
                      + bytes_field(6, b"seeds") + bytes_field(9, b"a note") + bytes_field(10, b"a, b"))  # fmt: skip
    config = bytes_field(5, item("net", {"width": 3}))
    rows = [
        bytes_field(2, item("loss", 1 / (i + 1)) + item("long", "x" * 40_000) + item("_timestamp", 1e9 + i)
                    + item("acc", "NaN", path=True) + bytes_field(2, int_field(1, i)))
        for i in range(3)
    ]  # fmt: skip
    file = wandb_file(tmp_path / "run-1.wandb", [run, config, *rows])
    (found,) = imported(tmp_path, tmp_path / "runs")
    assert series(found, "loss") == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]
    assert [step for step, _ in series(found, "acc")] == [0, 1, 2]
    assert settings(found) == {"lr": 0.1, "net.width": 3}
    labels = found.labels
    assert (labels.name, labels.group, labels.tags, labels.notes) == ("first", "seeds", ("a  b",), "a note")
    said: list[str] = []
    file.write_bytes(file.read_bytes()[:-20])
    (found,) = imported(file, tmp_path / "runs", said)
    assert len(series(found, "loss")) == 2
    assert "is read up to there" in said[-1]


def test_a_file_store_of_mlflow(tmp_path: Path) -> None:
    run = tmp_path / "mlruns" / "1" / "abc"
    (run / "metrics" / "train").mkdir(parents=True)
    (run / "params").mkdir()
    (tmp_path / "mlruns" / "1" / "meta.yaml").write_text("name: 'digits'\n")
    (run / "meta.yaml").write_text("run_name: mine\nrun_id: abc\n")
    (run / "metrics" / "train" / "loss").write_text("1700000000000 1.5 0\n1700000001000 nan 1\nbroken\n")
    (run / "params" / "lr").write_text("0.1")
    (run / "params" / "name").write_text("adam")
    said: list[str] = []
    (found,) = imported(tmp_path, tmp_path / "runs", said)
    assert series(found, "train/loss")[0] == (0, 1.5)
    assert settings(found) == {"lr": 0.1, "name": "adam"}
    assert (found.labels.name, found.labels.group) == ("mine", "digits")
    assert len(said) == 1 and "line 3 is no value" in said[0]


def test_databases_of_mlflow_and_trackio(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "mlflow.db") as mlflow:
        mlflow.executescript("""
            CREATE TABLE experiments (experiment_id, name);
            CREATE TABLE runs (run_uuid, name, experiment_id, lifecycle_stage, start_time);
            CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan);
            CREATE TABLE params (key, value, run_uuid);
            INSERT INTO experiments VALUES (1, 'digits');
            INSERT INTO runs VALUES ('a', 'mine', 1, 'active', 0), ('b', 'gone', 1, 'deleted', 0);
            INSERT INTO metrics VALUES ('loss', 0.5, 1700000000000, 'a', 3, 0), ('loss', 0, 1700000001000, 'a', 4, 1);
            INSERT INTO params VALUES ('shuffle', 'True', 'a');
        """)
    with sqlite3.connect(tmp_path / "project.db") as trackio:
        trackio.executescript("""
            CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp, run_name, step, metrics);
            CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name, config);
            INSERT INTO metrics VALUES (1, '2026-01-01T00:00:00+00:00', 'one', 7, '{"acc": 0.25, "inner": {"x": 1}}');
            INSERT INTO metrics VALUES (2, 'some time', 'two', 1, 'no JSON'), (3, '', 'two', 2, '{"acc": "Infinity"}');
            INSERT INTO configs VALUES (1, 'one', '{"lr": 0.1, "_Group": "g"}');
        """)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE things (x)")
    first, one, two = imported(tmp_path, tmp_path / "runs")
    assert [step for step, _ in series(first, "loss")] == [3, 4]
    assert settings(first) == {"shuffle": True}
    assert series(one, "acc") == [(7, 0.25)] and series(one, "inner.x") == [(7, 1.0)]
    assert (one.labels.group, settings(one)) == ("g", {"lr": 0.1})
    assert series(two, "acc") == [(2, float("inf"))]
    with pytest.raises(SourceError, match="neither MLflow nor trackio"):
        find_sources(tmp_path / "other.db")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 200)
    with pytest.raises(SourceError, match="can't be read as a database"):
        find_sources(tmp_path / "broken.db")


def test_parquet_of_neptunes_exporter_and_tables(tmp_path: Path) -> None:
    with duckdb.connect() as db:
        db.execute(f"""COPY (SELECT * FROM (VALUES
            ('R-1', 'train/loss', 'float_series', 1.0, TIMESTAMPTZ '2026-01-01 00:00:00+00', NULL, 0.5, NULL, NULL),
            ('R-1', 'train/loss', 'float_series', 2.0, TIMESTAMPTZ '2026-01-01 00:00:01+00', NULL, 0.25, NULL, NULL),
            ('R-1', 'params/lr', 'float', NULL, NULL, NULL, 0.1::DOUBLE, NULL, NULL),
            ('R-1', 'sys/name', 'string', NULL, NULL, NULL, NULL, 'mine', NULL)
            ) AS rows(run_id, attribute_path, attribute_type, step, timestamp, int_value, float_value, string_value,
            bool_value)) TO '{tmp_path / "part_0.parquet"}' (FORMAT parquet)""")
        db.execute(f"""COPY (SELECT range AS step, range / 2 AS acc FROM range(4))
            TO '{tmp_path / "table.parquet"}' (FORMAT parquet)""")
    neptune, table = imported(tmp_path, tmp_path / "runs")
    assert series(neptune, "train/loss") == [(1, 0.5), (2, 0.25)]
    assert settings(neptune) == {"params/lr": 0.1}
    assert neptune.labels.name == "mine"
    assert series(table, "acc") == [(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.5)]
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(SourceError, match="can't be read as Parquet"):
        find_sources(tmp_path / "broken.parquet")


def test_the_newest_state_of_a_trainer_is_judged_by_its_curves(tmp_path: Path) -> None:
    history: list[dict[str, float]] = []
    for i in range(1, 31):
        history += [{"step": 10 * i, "loss": 2.0 / i}, {"step": 10 * i, "eval_loss": 1.0 + abs(i - 10) / 10}]
    for step in (100, 300):
        folder = tmp_path / "out" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        (folder / "trainer_state.json").write_text(
            json.dumps({"global_step": step, "log_history": history[: step // 5]})
        )
    (found,) = imported(tmp_path, tmp_path / "runs")
    assert found.name.split("-")[2].startswith("out")
    assert len(series(found, "eval_loss")) == 30
    judge = Judge(catalogue().values(), lambda rule, error: pytest.fail(f"{rule}: {error!r}"))
    for record in found.first.records():
        judge.judge(record)
    assert [finding.rule for finding in judge.findings] == ["overfitting"]
    assert "eval_loss was lowest" in judge.findings[0].message
    (tmp_path / "out" / "checkpoint-300" / "trainer_state.json").write_text("{")
    with pytest.raises(SourceError, match="is no JSON"):
        find_sources(tmp_path)


def test_what_holds_nothing_says_what_could_be_there(tmp_path: Path) -> None:
    (tmp_path / "rank-0.db").write_text("")
    with pytest.raises(SourceError, match="wandb files"):
        find_sources(tmp_path)
    with pytest.raises(SourceError, match="no file or folder"):
        find_sources(tmp_path / "none")
    file = tmp_path / "x.wandb"
    file.write_text("something else")
    said: list[str] = []
    (source,) = find_sources(file)
    assert list(source.points(said.append, None)) == []
    assert "is no file of wandb" in said[0]
