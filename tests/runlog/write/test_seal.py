"""Sealing: whatever fails at whatever moment, no value is lost and none is there twice."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from surefoot.runlog.write import seal, segment
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.recover import recover
from tests.runlog.write.stored import ask, scalars, sealed

NUM_STEPS = 120
WRITE = """
import os, sys
from pathlib import Path
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write import seal, segment
seal.SEAL_BYTES = seal.CLOSE_BYTES = 300
seal.MERGED = 2

def reached(point):
    if point == POINT and next(countdown) == 0:
        os._exit(9)

countdown = iter(range(NUMBER, -1, -1))
segment.reached = reached
log = RunLog(Path(FILE), {}, print)
for step in range(120):
    log.scalars(step, {"loss": step / 8, "lr": 0.5})
    if step % 10 == 9:
        log.flush()
        print(step, flush=True)
log.close()
"""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "SEAL_BYTES", 300)
    monkeypatch.setattr(seal, "CLOSE_BYTES", 300)
    monkeypatch.setattr(seal, "MERGED", 2)


def write(file: Path, said: Any = pytest.fail) -> None:
    log = RunLog(file, {}, said)
    for step in range(NUM_STEPS):
        log.scalars(step, {"loss": step / 8, "lr": 0.5})
        if step % 10 == 9:
            assert log.flush()
    log.close()


def assert_whole(file: Path, num_steps: int = NUM_STEPS) -> None:
    """In the manifest once, and in the chunks that are left."""
    assert scalars(file) == {
        "loss": [(step, step / 8) for step in range(num_steps)], "lr": [(step, 0.5) for step in range(num_steps)],
    }  # fmt: skip
    (total,) = ask(file, "SELECT coalesce(sum(num_rows), 0) FROM segments")[0]
    assert total == len(sealed(file))


def files(file: Path) -> set[str]:
    return {found.name for found in segment.folder_of(file).glob("*")}


@pytest.mark.usefixtures("eager")
def test_a_long_run_is_sealed_and_merged(tmp_path: Path) -> None:
    file = tmp_path / "it's a run" / "rank-0.db"
    write(file)
    assert_whole(file)
    assert ask(file, "SELECT count(*) FROM chunks") == [(0,)]
    segments = ask(file, "SELECT file, num_rows, first_step, last_step, first_chunk, last_chunk FROM segments")
    assert len(segments) == 1, "neighbours were merged"
    name, *rest = segments[0]
    assert rest == [2 * NUM_STEPS, 0, NUM_STEPS - 1, 1, 12]
    assert files(file) == {name}, "what was merged is gone"
    import duckdb

    rows = duckdb.execute("SELECT series, step, time, value, chunk FROM read_parquet(?)", [
        str(segment.folder_of(file) / name)
    ]).fetchall()  # fmt: skip
    assert rows == sorted(rows)
    assert {chunk for *_, chunk in rows} == set(range(1, 13))


@pytest.mark.usefixtures("eager")
def test_what_is_sealed_is_summed_up(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    for step in range(NUM_STEPS):
        value = {30: float("inf"), 50: float("nan"), NUM_STEPS - 1: float("nan")}.get(step, abs(step - 70.0))
        log.scalars(step, {"loss": value, "bad": float("nan")}, time=float(step))
        log.flush()
    log.close()
    assert ask(tmp_path / "rank-0.db", "SELECT * FROM sealed") == [
        (1, NUM_STEPS, 119, 119.0, None, 0.0, 70, 70.0, 0), (2, NUM_STEPS, 119, 119.0, None, None, None, None, None),
    ]  # fmt: skip
    bad = [value for series, _, value in sealed(tmp_path / "rank-0.db") if series == 2]
    assert len(bad) == NUM_STEPS and all(value is not None and value != value for value in bad)


def test_a_short_run_stays_in_sqlite(tmp_path: Path) -> None:
    write(tmp_path / "rank-0.db")
    assert_whole(tmp_path / "rank-0.db")
    assert not segment.folder_of(tmp_path / "rank-0.db").exists()


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("point", segment.POINTS)
def test_an_error_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    monkeypatch.setattr(seal, "RETRY_SECONDS", 0.0)
    failures = iter([True, False, True] + [False] * 100)

    def reached(at: str) -> None:
        if at == point and next(failures):
            raise RuntimeError(f"failed when {point}")

    monkeypatch.setattr(segment, "reached", reached)
    said: list[str] = []
    write(tmp_path / "rank-0.db", said.append)
    assert_whole(tmp_path / "rank-0.db")
    assert len(said) == 1 and "can't be sealed at present; nothing is lost" in said[0]
    monkeypatch.setattr(segment, "reached", lambda at: None)
    assert_orphans_are_swept(tmp_path / "rank-0.db")


@pytest.mark.parametrize("number", [0, 3])
@pytest.mark.parametrize("point", segment.POINTS)
def test_a_death_loses_nothing_that_was_committed(tmp_path: Path, point: str, number: int) -> None:
    file = tmp_path / "rank-0.db"
    code = WRITE.replace("POINT", repr(point)).replace("NUMBER", str(number)).replace("FILE", repr(str(file)))
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert died.returncode == 9, died.stderr
    committed = int((died.stdout.splitlines() or ["-1"])[-1]) + 1
    recover(file)
    num_steps = len(scalars(file).get("loss", []))
    assert committed <= num_steps <= committed + 10
    assert_whole(file, num_steps)
    assert_orphans_are_swept(file)
    assert_whole(file, num_steps)


def assert_orphans_are_swept(file: Path) -> None:
    (segment.folder_of(file)).mkdir(exist_ok=True)
    (segment.folder_of(file) / "999999.tmp").touch()
    RunLog(file, {}, pytest.fail).close()
    assert files(file) == {name for (name,) in ask(file, "SELECT file FROM segments")}


@pytest.mark.usefixtures("eager")
def test_merged_files_stay_for_a_while(tmp_path: Path) -> None:
    """A reader may have read the manifest a moment ago."""
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    listed: set[str] = set()
    for step in range(NUM_STEPS):
        log.scalars(step, {"loss": step / 8, "lr": 0.5})
        log.flush()
        time.sleep(0.01)
        listed |= {name for (name,) in ask(tmp_path / "rank-0.db", "SELECT file FROM segments")}
    assert len(listed) > 2
    assert listed <= files(tmp_path / "rank-0.db")
    log.close()
    assert_whole(tmp_path / "rank-0.db")


@pytest.mark.usefixtures("eager")
def test_a_missing_library_leaves_all_in_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said: list[str] = []
    write(tmp_path / "rank-0.db", said.append)
    monkeypatch.undo()
    assert len(said) == 1 and "can't be sealed" in said[0]
    assert_whole(tmp_path / "rank-0.db")


def test_sealed_values_take_few_bytes(tmp_path: Path) -> None:
    import numpy as np

    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    rng = np.random.default_rng(0)
    names = [f"layer{i}/grad_norm" for i in range(20)]
    for step, values in enumerate(rng.normal(size=(30_000, 20)).tolist()):
        log.scalars(step, dict(zip(names, values, strict=True)))
    log.close()
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM chunks") == [(0,)]
    num_bytes = sum(found.stat().st_size for found in tmp_path.rglob("*") if found.is_file())
    assert num_bytes / (30_000 * 20) < 10
    assert os.listdir(tmp_path) and len(sealed(tmp_path / "rank-0.db")) == 30_000 * 20  # noqa: PTH208
