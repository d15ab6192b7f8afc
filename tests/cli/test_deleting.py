"""rm and prune: shown first, asked, never a running run, and nothing that is not a log."""

import os
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from surefoot.cli import deleting
from surefoot.cli.main import main
from tests.runlog.making import FINISHED, RUNNING, LogFile

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runs"
    for day, meta in ((1, FINISHED), (2, {**RUNNING, "process_started": "gone"}), (3, FINISHED), (4, RUNNING)):
        with LogFile(folder / f"2026010{day}-train" / "rank-0.db", meta) as one:
            one.log([1], loss=[1.0])
            one.seal()
        age = time.time() - (40 - 10 * day) * 86400
        for file in (folder / f"2026010{day}-train").rglob("*"):
            os.utime(file, (age, age))
    monkeypatch.chdir(tmp_path)
    return folder


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(text))


def left(log: Path) -> list[str]:
    return sorted(folder.name[7] for folder in log.iterdir())


def test_rm_shows_and_asks(log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "no\n")
    assert main(["rm", "20260101", "20260102"]) == 0
    said = capsys.readouterr()
    assert [line.split()[:3] for line in said.out.splitlines()[1:]] == [
        ["20260101-train", "finished", "2"], ["20260102-train", "crashed", "2"]
    ]  # fmt: skip
    assert "Delete 2 runs, " in said.err and "nothing was deleted" in said.err
    assert left(log) == ["1", "2", "3", "4"]
    answer(monkeypatch, "")
    assert main(["rm", "20260101"]) == 2
    assert "there was no answer" in capsys.readouterr().err
    answer(monkeypatch, "y\n")
    assert main(["rm", "20260101", "20260102"]) == 0
    assert left(log) == ["3", "4"]


def test_a_running_run_is_refused_and_so_are_the_others(log: Path, capsys: Capture) -> None:
    assert main(["rm", "--yes", "20260101", "latest"]) == 2
    assert "20260104-train is running" in capsys.readouterr().err
    assert left(log) == ["1", "2", "3", "4"]


def test_what_can_t_be_read_is_deleted_only_when_it_is_quiet(log: Path, capsys: Capture) -> None:
    file = log / "20260105-new" / "rank-0.db"
    LogFile(file, {"schema_version": "99"}).close()
    assert main(["rm", "--yes", "20260105"]) == 2
    assert "is unreadable" in capsys.readouterr().err
    os.utime(file, (1e9, 1e9))
    assert main(["prune", "--older-than", "1d", "--yes"]) == 0
    assert file.exists()
    assert main(["rm", "--yes", "20260105"]) == 0
    assert not file.exists()


def test_other_files_are_kept(log: Path, capsys: Capture) -> None:
    (log / "20260101-train" / "model.pt").touch()
    (log / "20260101-train" / "rank-0.segments" / "deep").mkdir()
    (log / "20260101-train" / "rank-0.segments" / "deep" / "x.parquet").touch()
    assert main(["rm", "--yes", "20260101"]) == 0
    assert "2 other files" in capsys.readouterr().err
    assert sorted(file.name for file in (log / "20260101-train").rglob("*") if file.is_file()) == [
        "model.pt",
        "x.parquet",
    ]


def test_all_files_of_a_log_are_deleted(log: Path) -> None:
    for name in ("rank-0.db-wal", "rank-0.db-shm", "rank-1.db-journal", "rank-0.tail-0", "rank-0.tail-1"):
        (log / "20260101-train" / name).touch()
    os.utime(log / "20260101-train" / "rank-0.db-wal", (1e9, 1e9))
    assert main(["rm", "--yes", "20260101"]) == 0
    assert left(log) == ["2", "3", "4"]


def test_links_are_refused(log: Path, tmp_path: Path, capsys: Capture) -> None:
    (log / "20260106-link").symlink_to(log / "20260101-train")
    assert main(["rm", "--yes", "20260106"]) == 2
    assert "is a link to" in capsys.readouterr().err
    assert main(["prune", "--older-than", "1h", "--yes"]) == 0
    assert (log / "20260106-link").is_symlink()


def test_prune_by_age_status_and_number(log: Path, capsys: Capture) -> None:
    assert main(["prune", "--older-than", "15d", "--status", "finished", "--yes"]) == 0
    assert left(log) == ["2", "3", "4"]
    assert main(["prune", "--keep", "3", "--yes"]) == 0
    assert left(log) == ["2", "3", "4"]
    assert main(["prune", "--status", "crashed", "--yes"]) == 0
    assert left(log) == ["3", "4"]
    assert main(["prune", "--keep", "0", "--yes"]) == 0
    assert left(log) == ["4"], "a running run stays"
    capsys.readouterr()
    assert main(["prune"]) == 0
    assert capsys.readouterr().out == "There is nothing to delete.\n"


def test_prune_sweeps_what_no_manifest_names(log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    orphans = [log / f"2026010{day}-train" / "rank-0.segments" / "000009.parquet" for day in (1, 4)]
    orphans.append(log / "20260102-train" / "rank-7.segments" / "000001.parquet")
    for file in orphans:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"left behind")
    answer(monkeypatch, "y\n")
    assert main(["prune"]) == 0
    said = capsys.readouterr()
    assert "1 segment that no run refers to (11 B)" in said.out
    assert "Delete 1 segment, 11 B?" in said.err
    is_left = [file.exists() for file in orphans]
    assert is_left == [False, True, True], "a running writer may be about to name it; a rank may have lost its file"
    assert left(log) == ["1", "2", "3", "4"]
    assert main(["query", "SELECT count(*) AS n FROM scalars"]) == 0
    assert capsys.readouterr().out.split() == ["n", "4"]


def test_bad_input(log: Path, capsys: Capture) -> None:
    assert main(["prune", "--status", "running"]) == 2
    assert main(["prune", "--log", "none"]) == 2


def test_what_can_t_be_deleted_is_told(log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(deleting, "delete", refuse)
    assert main(["rm", "--yes", "20260101"]) == 1
    assert "can't be deleted: Permission denied" in capsys.readouterr().err
