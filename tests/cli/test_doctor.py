"""`surefoot doctor`: what is damaged is named, what is not can be written to a new run."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from surefoot.cli.main import main
from surefoot.runlog.read.run import load_run
from surefoot.runlog.write import seal
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.write_ahead_format import FILE_STEP, header_of, write_ahead_files
from tests.runlog.making import RUNNING, LogFile

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve steps, four of them sealed, in `runs/run`."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "run"
    for steps, num_bytes in ((range(1, 5), 1), (range(5, 9), 10**9), (range(9, 13), 10**9)):
        monkeypatch.setattr(seal, "CLOSE_BYTES", num_bytes)
        log = RunLog(folder / "rank-0.db", {"ended": "2026-01-15T23:15:05+0100"}, pytest.fail)
        for step in steps:
            log.scalars(step, {"loss": 1 / step})
        log.close()
    return folder


def change(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE chunks SET num_steps = 9 WHERE id = (SELECT max(id) FROM chunks)")
        connection.commit()


def test_a_whole_run_is_said_to_be_whole(run: Path, capsys: Capture) -> None:
    assert main(["doctor", "latest"]) == 0
    said = capsys.readouterr()
    assert "rank-0.segments/000001.parquet  whole  4 values" in said.out
    assert said.out.endswith("run: all files are intact.\n")
    assert said.err == ""


def test_what_is_damaged_is_named_and_the_rest_salvaged(run: Path, capsys: Capture) -> None:
    change(run / "rank-0.db")
    assert main(["doctor", "run", "--salvage"]) == 1
    said = capsys.readouterr()
    assert "it has lost 1 of 2 blocks of scalars; the rest is read." in said.out
    assert "run: 1 file damaged." in said.out
    saved = load_run(run.with_name("run-salvaged"))
    assert saved.first.columns().popitem()[1].steps.tolist() == list(range(1, 9))
    assert "salvaged from runs/run/rank-0.db" in saved.problems[0]
    assert main(["doctor", "run-salvaged"]) == 0
    assert "nothing is damaged now; earlier losses are listed above." in capsys.readouterr().out
    assert main(["doctor", "run", "--salvage"]) == 2
    assert "run-salvaged exists. Name another folder with -o." in capsys.readouterr().err


def test_a_damaged_segment_is_left_out_of_the_salvaged_run(run: Path, capsys: Capture) -> None:
    (segment,) = run.glob("*.segments/*")
    segment.write_bytes(segment.read_bytes()[:-1])
    assert main(["doctor", "run", "--salvage", "-o", "saved"]) == 1
    saved = load_run(Path("saved"))
    assert saved.first.columns().popitem()[1].steps.tolist() == list(range(5, 13))
    assert saved.first.segments() == []


def test_a_tail_of_another_run_is_told_and_left(run: Path, capsys: Capture) -> None:
    (run / "rank-0.id").unlink()
    header, _ = header_of({"pid": 1, "started": "long ago", "host": "elsewhere", "id": "of another"})
    tail, _ = write_ahead_files(run / "rank-0.db")
    tail.write_bytes(header + bytes(FILE_STEP - len(header)))
    os.utime(tail, (0, 0))
    assert main(["doctor", "run", "--salvage"]) == 1
    said = capsys.readouterr()
    assert "can't be brought in: they belong to another file" in said.out + said.err
    assert "Error" not in said.err


def test_a_run_without_checksums_is_not_called_whole(tmp_path: Path, capsys: Capture) -> None:
    with LogFile(tmp_path / "old" / "rank-0.db") as log:
        log.log([1, 2], loss=[1.0, 0.5])
    assert main(["doctor", str(tmp_path / "old")]) == 0
    said = capsys.readouterr().out
    assert "written by a version that kept no checksums" in said
    assert "no damage found, but files without checksums can't be verified." in said


def test_what_can_not_be_done_is_said(run: Path, capsys: Capture) -> None:
    assert main(["doctor", "run", "-o", "there"]) == 2
    assert "add --salvage" in capsys.readouterr().err
    with LogFile(run.with_name("going") / "rank-0.db", RUNNING):
        assert main(["doctor", "going", "--salvage"]) == 2
    assert "nothing can be salvaged: run going is going on." in capsys.readouterr().err
    (run / "rank-0.db").write_bytes(b"nothing")
    assert main(["doctor", "run", "--salvage"]) == 2
    said = capsys.readouterr()
    assert "it is not an SQLite file" in said.out
    assert "nothing can be salvaged" in said.err


@pytest.mark.parametrize("more", [[], ["--format", "json"], ["--alert-dry-run"]])
def test_replay_speaks_of_damage(run: Path, capsys: Capture, more: list[str]) -> None:
    with closing(sqlite3.connect(run / "rank-0.db")) as connection, connection:
        connection.execute("DELETE FROM meta WHERE key = (SELECT min(key) FROM meta)")
    assert main(["replay", str(run), *more]) == 0
    assert "is damaged" in capsys.readouterr().err
