"""Runs are copied to an address once and whole, whatever happens in between, and are read there as they were here."""

import math
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

import surefoot as sf
from surefoot.cli.main import main
from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.data.remote_cache import RemoteCache
from surefoot.dashboard.data.run import describe
from surefoot.dashboard.data.run_cache import NoSuchRunError, RunCache
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.runlog import doctor
from surefoot.runlog.edits import change_labels
from surefoot.runlog.labels import Labels, read_labels
from surefoot.runlog.read import RunLogError, RunLogWarning
from surefoot.runlog.remote import sync as syncing
from surefoot.runlog.remote.index import read_index
from surefoot.runlog.remote.place import Place
from surefoot.runlog.remote.runs import RemoteRuns
from surefoot.runlog.remote.sync import sync
from tests.runlog.making import RUNNING, LogFile

FINDING = {
    "rule": "stale-gradients", "severity": "error", "message": "m", "why": "w", "fix": "f", "file": None, "line": 3,
    "step": 2, "count": 1, "evidence": {"params": 2},
}  # fmt: skip


@pytest.fixture(params=["folder", "objects"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder, and what has no renaming, as object storage."""
    if request.param == "folder":
        yield str(tmp_path / "share")
        return
    bucket = secrets.token_hex(4)
    yield f"memory://{bucket}/team"
    fsspec.filesystem("memory").rm(f"/{bucket}", recursive=True)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def at_points(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], None]], None]:
    """Who is told how far a copy has come."""
    return lambda hear: monkeypatch.setattr(syncing, "reached", hear)


def train(folder: Path, rate: float) -> str:
    with sf.start_run(folder, name="train", config={"lr": rate, "seed": 0}, group="rates", tags=["try"]) as run:
        for step in range(1, 51):
            run.log({"loss": rate / step, "acc": math.nan if step == 3 else step / 50}, step=step)
        run.log({"picture": np.zeros((2, 2, 3), np.uint8), "errors": sf.Table(["n"], [[1]])}, step=50)
        run.finding(0, FINDING)
    return run.name


QUERIES = [
    "SELECT run, rank, name, step, value FROM scalars ORDER BY ALL",
    "SELECT run, status, updates, last_loss, findings, run_group, tags, started, seconds FROM runs ORDER BY run",
    "SELECT * FROM settings ORDER BY ALL",
    "SELECT run, rule, message, count, evidence FROM findings ORDER BY ALL",
    "SELECT run, name, kind, bytes FROM media ORDER BY ALL",
    "SELECT run, label, number FROM cells ORDER BY ALL",
    "SELECT r.run, min(value) FROM scalars s JOIN runs r USING (run) WHERE s.name = 'loss' GROUP BY r.run ORDER BY 1",
]


def test_what_is_read_there_is_what_is_here(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for rate in (0.1, 0.2):
        train(tmp_path / "runs", rate)
    done = sync(tmp_path / "runs", Place(address))
    assert (done.copied, done.known, done.failed) == (2, 0, 0) and done.num_bytes > 1000
    here, there = sf.open(tmp_path / "runs"), sf.open(address)
    assert isinstance(there, RemoteRuns) and there.names() == here.names() and len(there) == 2
    for query in QUERIES:
        assert repr(there.sql(query).rows()) == repr(here.sql(query).rows()), query
    monkeypatch.setattr("surefoot.runlog.remote.runs.SMALL_BYTES", 0)  # large segments stay where they are
    shutil.rmtree(tmp_path / "cache")
    assert repr(sf.open(address).sql(QUERIES[0]).rows()) == repr(here.sql(QUERIES[0]).rows())
    assert not list((tmp_path / "cache").rglob("*.segments"))
    run = there["latest"]
    assert run.scalars("loss").values.tolist() == here["latest"].scalars("loss").values.tolist()
    assert run.media("errors")[0].rows() == [{"n": 1}]
    assert run.settings == here["latest"].settings
    assert {part.state for part in doctor.examine(run.folder)} == {"whole"}
    with pytest.raises(RunLogError, match="there is no run"):
        there["none"]


def test_only_what_is_new_is_copied(
    tmp_path: Path, address: str, at_points: Callable[[Callable[[str], None]], None]
) -> None:
    runs, place = tmp_path / "runs", Place(address)
    first = train(runs, 0.1)
    sync(runs, place)
    train(runs, 0.2)
    with LogFile(runs / "going-on" / "rank-0.db", RUNNING) as file:
        file.log([1], loss=[1.0])
        done = sync(runs, place)
    assert (done.copied, done.known, done.running, done.failed) == (1, 1, 1, 0)

    labels = read_labels(sf.open(runs)[first].meta)
    change_labels(runs / first, labels, lambda now: Labels("renamed", now.group, now.tags))
    put: list[str] = []
    at_points(put.append)
    assert sync(runs, place).copied == 1
    assert put.count("put") <= 2, "what did not change is not sent again"
    assert sf.open(address).sql(f"SELECT name FROM runs WHERE run = '{first}'").rows() == [("renamed",)]
    assert sf.open(address)[first].labels.name == "renamed"


class CutError(Exception):
    pass


def test_a_cut_at_any_moment_loses_and_doubles_nothing(
    tmp_path: Path, address: str, at_points: Callable[[Callable[[str], None]], None]
) -> None:
    runs, place = tmp_path / "runs", Place(address)
    names = [train(runs, rate) for rate in (0.1, 0.2)]
    num_cuts = 0
    while True:
        moments = iter(range(num_cuts))
        at_points(lambda point, moments=moments: next(moments, None) is not None or _cut())  # type: ignore[misc]
        try:
            sync(runs, place)
            break
        except CutError:
            num_cuts += 1
        assert not place.listed("index"), "only what is whole is named"
    assert num_cuts > 8
    there = sf.open(address)
    assert there.names() == sorted(names)
    assert there.sql("SELECT count(*) FROM scalars WHERE name = 'loss'").rows() == [(100,)]
    assert all(len(run.scalars("loss")) == 50 for run in there)
    assert not [name for name in place.files.find(place.path("")) if name.endswith(".part")]


def _cut() -> None:
    raise CutError


def test_many_machines_and_copies_of_their_folders(tmp_path: Path, address: str) -> None:
    for machine in ("a", "b"):
        train(tmp_path / machine, 0.1)
        sync(tmp_path / machine, Place(address))
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    (tmp_path / "c" / syncing.SOURCE).unlink()  # copied to a machine that makes a name of its own
    sync(tmp_path / "c", Place(address))
    assert len(sf.open(address)) == 2, "the same run is one"

    (same,), (other,) = sf.open(tmp_path / "a").names(), sf.open(tmp_path / "b").names()
    (tmp_path / "b" / other).rename(tmp_path / "b" / same)
    sync(tmp_path / "b", Place(address))
    assert sum(name.startswith(f"{same}@") for name in sf.open(address).names()) == 1
    shutil.rmtree(tmp_path / "a" / same)
    assert sync(tmp_path / "a", Place(address)).copied == 0
    assert same in sf.open(address).names(), "what was deleted here stays there"


def test_the_dashboard_is_told_the_same(tmp_path: Path, address: str) -> None:
    runs = tmp_path / "runs"
    name = train(runs, 0.1)
    sync(runs, Place(address))
    here, there = RunCache(runs), RemoteCache(address)
    keys = ("run", "status", "last_loss", "best_loss", "errors", "run_group", "started")
    (one,), (two,) = ([{key: row[key] for key in keys} for row in cache.rows()] for cache in (here, there))
    assert encode(one) == encode(two)
    metrics = ["low:acc", "last:loss", "high:none"]
    told = [encode(cache.columns(["lr"], metrics, with_metrics=True)) for cache in (here, there)]
    assert told[0] == told[1]
    about = [describe(cache.open(name), cache.row(cache.open(name)), SeriesIndexes()) for cache in (here, there)]
    assert encode(about[0]["series"]) == encode(about[1]["series"]) and about[1]["has_media"]
    with pytest.raises(NoSuchRunError):
        there.open("../runs")
    assert not there.allows_edits and there.where == Place(address).address


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, share = str(tmp_path / "runs"), str(tmp_path / "share")
    train(tmp_path / "runs", 0.1)
    assert main(["sync", runs, share]) == 0
    assert "1 run copied to" in capsys.readouterr().err
    bad = tmp_path / "runs" / "20260101-bad"
    bad.mkdir()
    (bad / "rank-0.db").write_bytes(b"rubbish")
    assert main(["sync", runs, share]) == 1
    said = capsys.readouterr().err
    assert "run 20260101-bad is not copied" in said and "1 there already; 1 could not be copied" in said
    wrong = [["sync", str(tmp_path / "none"), share], ["sync", runs, "nowhere://bucket"],
             ["dash", "memory://nothing-here", "--no-browser"]]  # fmt: skip
    assert [main(command) for command in wrong] == [2, 2, 2]
    (tmp_path / "runs" / syncing.SOURCE).write_text("{}", encoding="utf-8")
    assert main(["sync", runs, share]) == 2


def test_a_segment_that_was_damaged_there_is_left_out_and_named(tmp_path: Path, address: str) -> None:
    train(tmp_path / "runs", 0.1)
    place = Place(address)
    sync(tmp_path / "runs", place)
    (segment,) = (name for name in place.files.find(place.path("runs")) if name.endswith(".parquet"))
    content = bytearray(place.files.cat_file(segment))
    content[len(content) // 3] ^= 1
    place.files.pipe_file(segment, bytes(content))
    there: Any = sf.open(address)
    with pytest.warns(RunLogWarning, match="parquet is damaged or missing: its values are left out"):
        assert there.sql("SELECT count(value) FROM scalars").rows() == [(0,)]
    assert there.sql("SELECT updates FROM runs").rows() == [(50,)]


def test_an_index_that_was_damaged_tells_nothing_wrong(tmp_path: Path) -> None:
    name = train(tmp_path / "runs", 0.1)
    share = tmp_path / "share"
    sync(tmp_path / "runs", Place(str(share)))
    (file,) = (share / "index").glob("*.parquet")
    whole, content = read_index(file), file.read_bytes()
    assert [entry.run for entry in whole] == [name]
    num_refused = 0
    for place in range(0, len(content), 37):
        file.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        try:
            assert read_index(file) == whole
        except RunLogError as error:
            assert "\n" not in str(error) and "sync again" in str(error)
            num_refused += 1
    assert num_refused > 10
    file.write_bytes(b"rubbish")
    with pytest.raises(RunLogError, match="index"):
        RemoteRuns(str(share))[name]


def test_a_copy_of_a_damaged_run_tells_of_it(tmp_path: Path) -> None:
    name = train(tmp_path / "runs", 0.1)
    with closing(sqlite3.connect(tmp_path / "runs" / name / "rank-0.db")) as connection:
        connection.execute("DELETE FROM findings")
        connection.commit()
    sync(tmp_path / "runs", Place(str(tmp_path / "share")))
    there: Any = sf.open(tmp_path / "share")
    assert "1 of 1 findings" in " ".join(there[name].problems)
