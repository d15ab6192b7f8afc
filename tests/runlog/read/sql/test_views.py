"""The views hold what was logged, of one run and of many."""

import math
import shutil
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.runlog.box.error import QueryError
from surefoot.runlog.read import RunLogWarning, Runs
from surefoot.runlog.read.sql.views import VIEWS
from tests.runlog.making import FINISHED, RUNNING, START, LogFile

FILES = Path(__file__).parents[2] / "files"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("runs ' odd")
    meta = {**FINISHED, "command": '["train.py", "--name", "a b"]', "git_dirty": "1", "attempt": "2", "exit": "0"}
    for name, bias in (("a", 0.0), ("b'; DROP", 10.0)):
        with LogFile(folder / name / "rank-0.db", meta) as log:
            log.log(range(1, 4), loss=[bias + 3, bias + 2, math.nan], acc=[0.1, 0.2, 0.3])
            log.seal()
            log.log([4, 5], acc=[0.4, 0.5], loss=[math.inf, bias + 1])
            log.chunk(log.series("fc.bias", kind="param", place="3"), [(5, START, [0.25])])
            log.finding()
            log.event(5, "stop", "below 0.1")
            log.connection.execute("INSERT INTO series (kind, name, place) VALUES ('hist', 'fc.weight', '')")
            log.connection.execute("INSERT INTO edges (edges) VALUES (?)", (np.array([-1.0, 0.0, 1.0]).tobytes(),))
            log.connection.execute(
                "INSERT INTO hists (step, time, series, edges, counts) SELECT 5, 0.5, id, 1, ? FROM series "
                "WHERE kind = 'hist'", (np.array([3, 4]).tobytes(),)
            )  # fmt: skip
    with LogFile(folder / "a" / "rank-1.db") as log:
        log.log([1], loss=[7.0])
    (folder / "old").mkdir()
    shutil.copy(FILES / "version-1.db", folder / "old" / "rank-0.db")
    return sf.open(folder)


def test_scalars_of_one_run(runs: Runs) -> None:
    answer = runs["a"].sql("SELECT rank, step, time, value FROM scalars WHERE name = 'loss' ORDER BY rank, step;")
    assert answer.columns == ["rank", "step", "time", "value"]
    rows = answer.rows()
    assert [row[:3] for row in rows] == [(0, step, START + step) for step in range(1, 6)] + [(1, 1, START + 1)]
    values = [row[3] for row in rows]
    assert values[:2] == [3.0, 2.0]
    assert math.isnan(values[2])
    assert values[3:] == [math.inf, 1.0, 7.0]
    assert len(answer.rows()) == len(answer.rows()) == 6, "an answer can be taken again"
    assert answer.problems == []


def test_scalars_of_many_runs(runs: Runs) -> None:
    query = "SELECT run, count(*), min(value) FROM scalars WHERE name = 'loss' AND rank = 0 GROUP BY run ORDER BY run"
    assert runs.sql(query).rows() == [("a", 5, 1.0), ("b'; DROP", 5, 11.0)]
    assert runs.sql("SELECT name, place, step, value FROM params WHERE run = 'a'").rows() == [("fc.bias", "3", 5, 0.25)]


def test_runs_in_one_line_each(runs: Runs) -> None:
    (row,) = runs.sql("SELECT * FROM runs WHERE run = 'a'").rows()
    found = dict(zip(VIEWS["runs"], row, strict=True))
    assert found | {"host": ""} == {
        "run": "a", "status": "finished", "script": "train.py", "command": "train.py --name 'a b'",
        "started": datetime(2026, 1, 15, 22, 14, 5), "ended": datetime(2026, 1, 15, 22, 15, 5), "seconds": 60.0,
        "host": "", "device": None, "git_commit": None, "git_dirty": True, "attempt": 2, "resumed_from": None,
        "ranks": 2, "updates": 5, "last_loss": 1.0, "findings": 1, "errors": 1, "reason": "finished", "exit": 0,
        "name": None, "run_group": None, "tags": None, "notes": None, "archived": False,
    }  # fmt: skip
    assert runs.sql("SELECT run, updates, last_loss, findings FROM runs WHERE run = 'old'").rows() == [
        ("old", 3, 1 / 3, 1)
    ]


def test_steps_findings_hists_and_events(runs: Runs) -> None:
    query = "SELECT step, applied, loss, lr, file, line, facts->>'$.update' FROM steps ORDER BY step LIMIT 1"
    assert runs.sql(query).rows() == [(1, True, 1.0, 0.1, "train.py", 11, "1")]
    query = "SELECT DISTINCT rule, count, evidence->>'params' FROM findings ORDER BY count"
    assert runs.sql(query).rows() == [("stale-gradients", 2, "2"), ("stale-gradients", 5, "2")]
    assert runs["a"].sql("SELECT name, step, low, high, count FROM hists").rows() == [
        ("fc.weight", 5, -1.0, 0.0, 3), ("fc.weight", 5, 0.0, 1.0, 4)
    ]  # fmt: skip
    assert runs["a"].sql("SELECT step, kind, text FROM events").rows() == [(5, "stop", "below 0.1")]


def test_every_view_has_its_documented_columns(runs: Runs) -> None:
    for view, types in VIEWS.items():
        described = runs.sql(f"DESCRIBE {view}").rows()
        assert {row[0]: row[1] for row in described} == types
        runs.sql(f"SELECT * FROM {view}").rows()
    assert {row[0] for row in runs.sql("SHOW TABLES").rows()} >= set(VIEWS)


def test_facts_with_numbers_that_are_not_finite_are_json(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db") as log:
        log.record(
            "StepFacts", 1, '{"_":"StepFacts","at":1,"index":1,"optimizer":1,"update":1,"skipped":true,"scale":NaN,'
            '"events":[{"_":"BackwardFacts","at":1,"ordinal":1,"value":-Infinity},'
            '{"_":"ClipFacts","at":2,"max_norm":1.0,"norm":2.5}]}'
        )  # fmt: skip
    (row,) = sf.open(tmp_path).sql("SELECT facts->>'scale', loss, norm, max_norm, skipped, scale FROM steps").rows()
    assert row[:5] == ("NaN", -math.inf, 2.5, 1.0, True)
    assert math.isnan(row[5])


@pytest.mark.parametrize("relative", [False, True])
def test_parts_that_cant_be_read_are_told(relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path() if relative else tmp_path
    for name in ("a", "b", "c"):
        with LogFile(tmp_path / name / "rank-0.db") as log:
            log.log([1], loss=[1.0])
            segment = log.seal()
            log.log([2], loss=[2.0])
        if name == "b":
            content = segment.read_bytes()
            segment.write_bytes(content[:4] + b"\xff" * (len(content) - 12) + content[-8:])
        elif name == "c":
            segment.write_bytes(b"PAR")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "rank-0.db").write_bytes(b"rubbish")
    with pytest.warns(RunLogWarning) as warned:
        answer = sf.open(folder).sql("SELECT run, step FROM scalars ORDER BY ALL")
    assert [str(one.message) for one in warned] == answer.problems and {one.filename for one in warned} == {__file__}
    assert answer.rows() == [("a", 1), ("a", 2), ("b", 2), ("c", 2)]
    told = "\n".join(answer.problems)
    for part in ("b/rank-0.segments", "c/rank-0.segments", "run d can't be read"):
        assert part in told
    query = "SELECT status, reason FROM runs WHERE run = 'd'"
    with pytest.warns(RunLogWarning, match="run d can't be read"):
        ((status, reason),) = sf.open(folder).sql(query).rows()
    assert (status, "is no run log" in reason) == ("unreadable", True)


def test_a_run_that_is_being_written_is_read(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "a" / "rank-0.db", RUNNING)
    log.log([1], loss=[0.5])
    assert sf.open(tmp_path).sql("SELECT status, last_loss FROM runs").rows() == [("running", 0.5)]
    log.log([2], loss=[0.25])
    assert sf.open(tmp_path)["a"].sql("SELECT value FROM scalars ORDER BY step").rows() == [(0.5,), (0.25,)]
    log.close()


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_package_that_is_missing_is_named(package: str, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None if package == "pyarrow" else sys)
    monkeypatch.setitem(sys.modules, package, None)
    answer = runs.sql("SELECT 1 AS a")
    take = {"pandas": answer.df, "polars": answer.pl, "pyarrow": answer.arrow}[package]
    with pytest.raises(ImportError, match=f"{package} is not installed"):
        take()
    assert answer.rows() == [(1,)]
    assert repr(answer).startswith("<answer with columns a")


def test_wrong_queries_say_what_is_wrong(runs: Runs) -> None:
    with pytest.raises(QueryError, match=r'(?s)Referenced column "valu" not found.*value'):
        runs.sql("SELECT valu FROM scalars")
    with pytest.raises(QueryError, match="syntax error"):
        runs.sql("SELEC 1")
