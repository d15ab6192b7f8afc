"""Commands that read the run log: runs, show, query, compare, replay."""

import csv
import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

from surefoot.cli.main import main
from surefoot.cli.table import cell, duration, number, print_tables, size
from tests.cli.command import python
from tests.runlog.making import FINISHED, RUNNING, LogFile

FILES = Path(__file__).parents[1] / "runlog" / "files"
ODD = "20260103-ö dd;'[x]\x1b"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs that can be read, and one that can't."""
    folder = tmp_path / "runs"
    meta = {**FINISHED, "command": '["train.py", "--lr", "0.1"]', "versions": '{"torch": "2.13"}', "cwd": "/w"}
    with LogFile(folder / "20260101-train" / "rank-0.db", meta) as first:
        first.log(range(1, 4), loss=[3.0, 2.0, 1.5], acc=[0.1, math.nan, 0.3])
        first.seal()
        first.finding()
        first.event(3, "stop", "loss below 2")
    with LogFile(folder / "20260102-train" / "rank-0.db", {**meta, "reason": "raised", "device": "cuda"}) as second:
        second.log(range(1, 5), loss=[3.0, 2.0, 1.0, math.inf])
    with LogFile(folder / ODD / "rank-0.db", {**RUNNING, "process_started": "gone", "script": "eval.py"}) as third:
        third.log([1], acc=[0.5])
    (folder / "20260104-bad").mkdir()
    (folder / "20260104-bad" / "rank-0.db").write_bytes(b"rubbish")
    monkeypatch.chdir(tmp_path)
    return folder


Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *args: str) -> str:
    assert main(args) == 0
    return capsys.readouterr().out


def refused(capsys: Capture, *args: str) -> str:
    assert main(args) == 2
    return capsys.readouterr().err


def test_runs_are_listed_newest_first(log: Path, capsys: Capture) -> None:
    lines = run(capsys, "runs").splitlines()
    assert lines[0].split() == ["run", "status", "updates", "last", "loss", "findings"]
    assert lines[1].startswith("20260104-bad") and "unreadable" in lines[1] and "is no run log" in lines[1]
    assert lines[2].startswith("20260103-ö dd;'[x]\\x1b  crashed")
    assert lines[3].split() == ["20260102-train", "failed", "4", "Inf", "0"]
    assert lines[4].split() == ["20260101-train", "finished", "3", "1.5", "1,", "1", "error"]
    end = lines[0].index("updates") + len("updates")
    assert [line[end - 3 : end + 2] for line in lines[3:]] == ["  4  ", "  3  "], "columns are aligned"


def test_runs_are_filtered(log: Path, capsys: Capture) -> None:
    assert len(run(capsys, "runs", "--status", "failed", "--status", "crashed").splitlines()) == 3
    assert "20260102" in run(capsys, "runs", str(log), "--script", "train", "--limit", "1")
    assert main(["runs", "--status", "running"]) == 0
    assert capsys.readouterr() == ("", "surefoot: none of the 4 runs in runs matches.\n")
    listed = json.loads(run(capsys, "runs", "--format", "json"))
    assert [line["status"] for line in listed] == ["unreadable", "crashed", "failed", "finished"]
    assert listed[2]["last_loss"] == "Infinity"
    assert run(capsys, "runs", "--format", "csv").splitlines()[-1].startswith("20260101-train,finished,train.py")


def test_folders_without_runs_say_what_to_do(tmp_path: Path, capsys: Capture) -> None:
    assert main(["runs", str(tmp_path)]) == 0
    assert "`surefoot run SCRIPT` creates one" in capsys.readouterr().err
    assert "there is no folder" in refused(capsys, "runs", str(tmp_path / "none"))


def test_a_run_is_shown(log: Path, capsys: Capture) -> None:
    said = run(capsys, "show", "20260101")
    for part in ("command      train.py --lr 0.1", "versions     torch 2.13", "took         1.0 min", "updates      3"):
        assert part in said
    lines = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.startswith(("loss", "acc"))}
    assert lines["loss"] == ["3", "3", "1.5", "1.5", "3", "3", "1"]
    assert lines["acc"] == ["3", "3", "0.3", "0.1", "1", "0.3", "3", "1"]
    assert "error[stale-gradients] at a.py:3, 5 times, first at step 2" in said
    assert "step 3 stop: loss below 2" in said
    said = run(capsys, "show", str(log / ODD))
    assert "status       crashed" in said


def test_ranks_of_a_run_are_shown(log: Path, capsys: Capture) -> None:
    with LogFile(log / "20260101-train" / "rank-1.db") as second:
        second.log([1], only_here=[1.0])
        second.finding()
    (log / "20260101-train" / "rank-2.db").write_bytes(b"rubbish")
    assert main(["show", "20260101", "--rank", "1"]) == 0
    said = capsys.readouterr()
    assert "only_here" in said.out and "10 times" in said.out
    assert said.err.count("rank-2.db is no run log") == 1
    assert "no rank 7" in refused(capsys, "show", "20260101", "--rank", "7")


def test_an_old_run_is_shown(log: Path, capsys: Capture) -> None:
    (log / "old").mkdir()
    shutil.copy(FILES / "version-1.db", log / "old" / "rank-0.db")
    assert "1 finding:" in run(capsys, "show", "old")


def test_wrong_names_get_the_nearest(log: Path, capsys: Capture) -> None:
    for command in ("show", "replay", "rm"):
        assert "Did you mean '20260101-train'?" in refused(capsys, command, "2026O101-train")
    assert "2 runs" not in refused(capsys, "show", "")
    assert "runs in runs start with '2026'" in refused(capsys, "show", "2026")
    assert "is no run log" in refused(capsys, "show", "20260104")
    assert "Did you mean" in refused(capsys, "compare", "20260101", "train")


def test_a_query_in_every_format(log: Path, capsys: Capture) -> None:
    query = "SELECT step, value, name FROM scalars WHERE run LIKE '20260101%' ORDER BY name, step"
    lines = run(capsys, "query", query).splitlines()
    assert lines[0].split() == ["step", "value", "name"]
    assert lines[2].split() == ["2", "NaN", "acc"]
    rows = list(csv.reader(StringIO(run(capsys, "query", query, "--format", "csv"))))
    assert rows[:3] == [["step", "value", "name"], ["1", "0.1", "acc"], ["2", "nan", "acc"]]
    listed = json.loads(run(capsys, "query", query, "--format", "json"))
    assert listed[1] == {"step": 2, "value": "NaN", "name": "acc"}
    for form in ("table", "csv", "json", "parquet"):
        assert run(capsys, "query", query, "--format", form, "-o", f"out.{form}") == ""
    assert Path("out.csv").read_text().splitlines()[1] == "1,0.1,acc"
    found = duckdb.connect().execute("SELECT * FROM 'out.parquet'").fetchall()
    assert found[0] == (1, 0.1, "acc")
    assert math.isnan(found[1][1])
    assert sorted(file.name for file in Path().iterdir() if file.is_file()) == [
        "out.csv", "out.json", "out.parquet", "out.table"
    ]  # fmt: skip


def test_values_of_all_kinds_are_written(log: Path, capsys: Capture) -> None:
    query = (
        "SELECT true AS b, NULL AS n, [1.5, 'nan'::DOUBLE] AS l, {'a': 'x'} AS s, DATE '2026-01-02' AS d, "
        "1.25::DECIMAL(5,2) AS e, '\\xAA'::BLOB AS x, '-inf'::DOUBLE AS i, TIMESTAMP '2026-01-02 03:04:05' AS t"
    )
    (row,) = json.loads(run(capsys, "query", query, "--format", "json"))
    assert row == {
        "b": True, "n": None, "l": [1.5, "NaN"], "s": {"a": "x"}, "d": "2026-01-02", "e": 1.25, "x": "aa",
        "i": "-Infinity", "t": "2026-01-02T03:04:05",
    }  # fmt: skip
    said = run(capsys, "query", query, "--format", "csv").splitlines()[1]
    assert said == 'true,,"[1.5, ""NaN""]","{""a"": ""x""}",2026-01-02,1.25,aa,-inf,2026-01-02T03:04:05'
    assert run(capsys, "query", "SELECT 1 AS a WHERE false", "--format", "json") == "[]\n"
    assert run(capsys, "query", "SELECT 1 AS a WHERE false").splitlines() == ["a"]


def test_a_query_from_standard_input(log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("SELECT 40 + 2 AS answer"))
    assert run(capsys, "query", "-").split() == ["answer", "42"]


def test_queries_that_are_refused(log: Path, capsys: Capture) -> None:
    assert "only SELECT is possible" in refused(capsys, "query", "DROP TABLE runs")
    assert "name a file with -o" in refused(capsys, "query", "SELECT 1", "--format", "parquet")
    assert "can't be written" in refused(capsys, "query", "SELECT 1", "--format", "csv", "-o", "none/out.csv")
    assert "there is no folder" in refused(capsys, "query", "SELECT 1", "--log", "none")
    Path("kept.csv").write_text("old")
    assert "Conversion" in refused(capsys, "query", "SELECT 'x'::INT", "--format", "csv", "-o", "kept.csv")
    assert Path("kept.csv").read_text() == "old"


def test_what_could_not_be_read_is_told_beside_the_answer(log: Path, capsys: Capture) -> None:
    assert main(["query", "SELECT count(*) AS num FROM scalars"]) == 0
    said = capsys.readouterr()
    assert said.out.split() == ["num", "11"]
    assert "run 20260104-bad can't be read" in said.err


def test_two_runs_are_compared(log: Path, capsys: Capture) -> None:
    said = run(capsys, "compare", "20260101", "20260102").splitlines()
    assert said[:2] == ["A  20260101-train", "B  20260102-train"]
    settings = {line.split()[0]: line.split("  ")[1:] for line in said[3 : said.index("", 3)]}
    assert list(settings) == ["setting", "device"]
    series = {line.split()[0]: line.split()[1:] for line in said[said.index("", 3) + 1 :]}
    assert series["loss"] == ["1.5", "Inf", "1.5", "1", "3", "3", "0.5"]
    assert series["acc"] == ["0.3", "0.1", "0"]
    said = run(capsys, "compare", "20260101", "20260101")
    assert said.splitlines()[3].endswith("are the same.")
    assert [line.split()[-2:] for line in said.splitlines() if line.startswith("acc")] == [["none", "0"]]


def test_steps_that_were_logged_twice_are_compared_by_their_last_value(log: Path, capsys: Capture) -> None:
    for name, values in (("x", [1.0, 5.0, 2.0]), ("y", [1.0, 6.0, 2.0])):
        with LogFile(log / name / "rank-0.db") as one:
            one.log([1, 2, 2], loss=values)
    assert "none" in run(capsys, "compare", "x", "y").splitlines()[-1]


def test_runs_without_series_are_compared(log: Path, capsys: Capture) -> None:
    LogFile(log / "x" / "rank-0.db").close()
    assert "Neither run has logged a series" in run(capsys, "compare", "x", "x")


def test_replay_reads_what_can_be_read(log: Path, capsys: Capture) -> None:
    (log / "old").mkdir()
    shutil.copy(FILES / "version-1.db", log / "old" / "rank-0.db")
    (log / "old" / "rank-1.db").write_bytes(b"rubbish")
    assert main(["replay", "old", "--fail-on", "never"]) == 0
    said = capsys.readouterr().err
    assert "rank-1.db is no run log" in said
    assert "3 steps" in said


def test_commands_on_stored_runs_do_not_import_torch(log: Path, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom surefoot.cli.main import main\n"
        "for args in (['runs'], ['show', '20260101'], ['query', 'select 1'], ['compare', '20260101', '20260102']):\n"
        "    assert main(args) == 0\n"
        "    print('torch' in sys.modules, 'numpy' in sys.modules and args == ['runs'], file=sys.stderr)\n"
    )
    (log / "20260101-train" / "rank-0.segments").joinpath("x").touch()
    shutil.rmtree(log / "20260101-train" / "rank-0.segments")  # so that `runs` has no need of DuckDB
    done = python("-c", code, cwd=tmp_path, PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    flags = [line for line in done.err.splitlines() if line.startswith(("True", "False"))]
    assert flags == ["False False"] * 4, done.err


def test_tables_are_set_on_a_terminal(log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    assert "20260101-train" in run(capsys, "runs")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (3, "3"),
        (0.1, "0.1"),
        (1e-9, "1e-09"),
        (2.0, "2"),
        (-math.inf, "-Inf"),
        ("a\nb", "a\\nb"),
    ],
)
def test_cells(given: Any, shown: str) -> None:
    assert cell(given) == shown


def test_numbers_for_people() -> None:
    assert [size(n) for n in (0, 999, 1500, 2_500_000, 3e12)] == ["0 B", "999 B", "1.5 kB", "2.5 MB", "3.0 TB"]
    assert [duration(s) for s in (None, 5, 90, 7200, 1e6)] == ["", "5 s", "1.5 min", "2.0 h", "11.6 days"]
    assert [number(x) for x in (None, -math.inf)] == ["", "-Inf"]


def test_a_long_answer_is_printed_as_it_comes() -> None:
    printed = StringIO()

    def batches() -> Iterator[list[tuple[int]]]:
        yield [(1,), (2,)]
        assert printed.getvalue() == "n\n1\n2\n"
        yield [(300,)]

    print_tables(["n"], batches(), printed)
    assert printed.getvalue() == "n\n1\n2\n300\n"
