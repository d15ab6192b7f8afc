"""export and import: what goes out comes in again, and nothing is overwritten or left half done."""

import csv
import math
import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest

from surefoot.cli.main import main
from surefoot.runlog.exchange import importing
from surefoot.runlog.exchange.tensorboard import read_points
from surefoot.runlog.read import open_runs
from tests.runlog.making import LogFile

FILES = Path(__file__).parents[1] / "runlog" / "files"
Capture = pytest.CaptureFixture[str]
SERIES = "SELECT name, step, value FROM scalars ORDER BY name, step"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with LogFile(tmp_path / "runs" / "20260101-train" / "rank-0.db") as one:
        one.log(range(1, 4), loss=[3.0, math.nan, 0.1], acc=[0.25, 0.5, math.inf])
        one.seal()
        one.chunk(one.series("fc.bias", kind="param", place="3"), [(5, 9.0, [0.25])])
        one.connection.execute("INSERT INTO series (kind, name, place) VALUES ('hist', 'w', '')")
        one.connection.execute("INSERT INTO edges (edges) VALUES (?)", (np.array([-1.0, 0.0, 1.0]).tobytes(),))
        one.connection.execute(
            "INSERT INTO hists (step, time, series, edges, counts) SELECT 5, 0.5, id, 1, ? FROM series "
            "WHERE kind = 'hist'", (np.array([3, 4]).tobytes(),)
        )  # fmt: skip
    with LogFile(tmp_path / "runs" / "20260101-train" / "rank-1.db") as two:
        two.log([1], loss=[7.0])
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


def files() -> list[str]:
    return sorted(str(file) for file in Path().rglob("*") if file.is_file() and not str(file).startswith("runs"))


def test_csv_and_parquet_hold_every_value(log: Path, capsys: Capture) -> None:
    for form in ("csv", "parquet"):
        assert main(["export", "latest", "--to", form, "-o", f"out.{form}"]) == 0
    rows = list(csv.reader(Path("out.csv").read_text().splitlines()))
    assert rows[0] == ["rank", "name", "step", "time", "value"]
    assert len(rows) == 9
    assert ["0", "fc.bias[3]", "5", "9.0", "0.25"] in rows
    assert ["0", "loss", "2", "1700000002.0", "nan"] in rows
    query = "SELECT count(*), count(*) FILTER (isnan(value)), min(value) FROM 'out.parquet'"
    assert duckdb.connect().execute(query).fetchall() == [(8, 1, 0.1)]
    assert files() == ["out.csv", "out.parquet"]
    assert main(["export", "latest", "--to", "csv", "-o", "out.csv"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["export", "latest", "--to", "csv", "-o", "out.csv/out.csv"]) == 2
    assert "can't be written" in capsys.readouterr().err


def test_event_files_go_out_and_come_in(log: Path, capsys: Capture) -> None:
    assert main(["export", "latest", "--to", "tensorboard", "-o", "tb"]) == 0
    assert files() == ["tb/events.out.tfevents.0.rank-0", "tb/rank-1/events.out.tfevents.0.rank-1"]
    names = {point.name for point in read_points(Path("tb/events.out.tfevents.0.rank-0"), pytest.fail)}
    assert names == {"loss", "acc", "fc.bias[3]"}
    capsys.readouterr()
    assert main(["import", "tb", "--log", "other"]) == 0
    first, second = capsys.readouterr().out.split()
    runs = open_runs("other")
    assert runs.names() == sorted([first, second])
    loss = runs[first].scalars("loss")
    assert loss.steps.tolist() == [1, 2, 3]
    assert loss.values[2] == np.float32(0.1)
    assert math.isnan(loss.values[1])
    assert runs[second].scalars("loss").values.tolist() == [7.0]
    assert [run.status for run in runs] == ["finished", "finished"]


def test_csv_goes_out_and_comes_in(log: Path) -> None:
    assert main(["export", "latest", "--to", "csv", "-o", "out.csv"]) == 0
    assert main(["import", "out.csv", "--log", "other"]) == 0
    (run,) = open_runs("other")
    assert run.scalars("acc").values.tolist() == [0.25, 0.5, math.inf]
    assert run.scalars("rank-1/loss").values.tolist() == [7.0]
    assert run.meta["script"] == "out"
    started = open_runs("other").sql("SELECT started FROM runs").rows()[0][0]
    assert started.year == 1970, "the parameter's time, which is the first"


def test_tables_with_a_column_for_each_series(log: Path, capsys: Capture) -> None:
    Path("wide.csv").write_text("\ufeffEpoch,loss,Time,acc\n1,0.5,2026-01-02T03:04:05,\n2,nan,,0.5\n\n3,1\n")
    assert main(["import", "wide.csv", "--log", "other"]) == 0
    assert "line 5: it has 2 of 4 columns" in capsys.readouterr().err
    rows = open_runs("other").sql(SERIES).rows()
    assert rows[0] == ("acc", 2, 0.5)
    assert [row[:2] for row in rows[1:]] == [("loss", 1), ("loss", 2)]
    Path("mine.csv").write_text("n,loss\n7,1.5\n")
    assert main(["import", "mine.csv", "--log", "third", "--step", "n"]) == 0
    assert open_runs("third").sql(SERIES).rows() == [("loss", 7, 1.5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must name at least two columns"),
        ("a,b\n1,2\n", "must have a column 'step'"),
        ("step,loss\n1,low\n", "line 2: 'loss' must be a number, got 'low'"),
        ("step,loss\nnan,1\n", "'step' must be a whole number"),
        ("step,time,loss\n1,noon,1\n", "a time must be in seconds or an ISO date"),
        ("step,loss\n1,\n", "holds no scalar"),
    ],
)
def test_tables_that_are_refused(text: str, said: str, log: Path, capsys: Capture) -> None:
    Path("bad.csv").write_text(text)
    assert main(["import", "bad.csv", "--log", "other"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("other").exists() or not list(Path("other").iterdir()), "nothing is left half done"


def test_a_genuine_file_that_is_cut_is_imported_up_to_there(log: Path, capsys: Capture) -> None:
    Path("cut.tfevents").write_bytes((FILES / "genuine.tfevents").read_bytes()[:-3])
    assert main(["import", "cut.tfevents", "--log", "other"]) == 0
    assert "ends in the middle of a record" in capsys.readouterr().err
    assert len(open_runs("other").sql(SERIES).rows()) == 20


def test_one_bad_file_does_not_keep_the_others_out(log: Path, capsys: Capture) -> None:
    Path("in/deep").mkdir(parents=True)
    shutil.copy(FILES / "genuine.tfevents", "in/deep/events.out.tfevents.1")
    Path("in/bad.csv").write_text("a,b\n1,2\n")
    assert main(["import", "in", "--log", "other"]) == 1
    (name,) = capsys.readouterr().out.split()
    assert "-in-deep-" in name
    assert len(open_runs("other")) == 1


def test_bad_paths(log: Path, capsys: Capture) -> None:
    assert main(["import", "none"]) == 2
    assert "there is no file or folder none" in capsys.readouterr().err
    Path("empty").mkdir()
    assert main(["import", "empty"]) == 2
    assert "empty holds none of what can be imported" in capsys.readouterr().err


def test_many_values_are_written_as_they_come(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "FLUSH_ROWS", 10)
    Path("many.csv").write_text("step,loss\n" + "".join(f"{i},{i}\n" for i in range(95)))
    assert main(["import", "many.csv", "--log", "other"]) == 0
    assert open_runs("other")["latest"].scalars("loss").values.tolist() == list(range(95))


def test_a_log_that_can_t_be_written_is_told(log: Path, capsys: Capture) -> None:
    Path("a.csv").write_text("step,loss\n1,1\n")
    Path("file").write_text("stands in the way")
    assert main(["import", "a.csv", "--log", "file"]) == 2
    assert "the run can't be written" in capsys.readouterr().err
