"""Traces are kept among the runs, and nobody takes them for one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.main import main
from surefoot.lab.trace.keep import keep
from surefoot.lab.trace.plain import as_dict
from surefoot.lab.trace.stage import Step, Trace
from surefoot.runlog.checksum import with_checksum
from surefoot.runlog.read import Runs
from tests.cli.command import CLEAN, write

TRACE = Trace("some/train it.py", 1, 1, stages=[Step(step=1)])


def trace_clean(tmp_path: Path, *options: str) -> int:
    script = str(write(tmp_path / "train.py", CLEAN))
    return main(["trace", "--steps", "1", *options, script, "--hf-token", "abcdefgh"])


def read(file: Path) -> Any:
    """Without its checksum, which must be right."""
    data = file.read_bytes()
    told = json.loads(data)
    del told["crc"]
    assert with_checksum(data[: data.rindex(b', "crc"')] + b"}") == data
    return told


def test_it_is_kept_and_said_where(
    stays_here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    assert trace_clean(tmp_path) == 0
    (file,) = (tmp_path / "runs" / "traces").iterdir()
    assert re.fullmatch(r"\d{8}-\d{6}-train-[0-9a-f]{6}\.json", file.name)
    said = capsys.readouterr().err.splitlines()[-1]
    where = Path("runs", "traces", file.name)
    assert said == f"surefoot: saved as {where}; `surefoot dash` shows it on its page Trace."
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["folder"] == str(tmp_path) and told["command"] == [str(tmp_path / "train.py"), "--hf-token", "…"]
    step = next(stage for stage in told["stages"] if stage["kind"] == "step")
    lines = {(line["file"], line["line"]): line["text"] for line in told["source"]}
    assert lines[step["site"]["file"], step["site"]["line"]] == "optimizer.step()"
    runs = Runs(tmp_path / "runs")
    assert runs.names() == [] and list(runs.load()) == []
    assert main(["runs", "--log", "runs"]) == 0
    assert main(["prune", "--log", "runs", "--keep", "0", "--yes"]) == 0
    assert file.is_file(), "prune deletes runs"


@pytest.mark.parametrize(("options", "variable"), [(("--no-log",), ""), ((), "off")])
def test_nothing_is_kept_if_that_is_not_wanted(
    stays_here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], variable: str
) -> None:
    monkeypatch.setenv("SUREFOOT_LOG", variable)
    assert trace_clean(tmp_path, *options) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]


def test_it_goes_where_one_says(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trace_clean(tmp_path, "--log", "my runs") == 0
    assert len(list((tmp_path / "my runs" / "traces").iterdir())) == 1
    assert "`surefoot dash 'my runs'`" in capsys.readouterr().err


def test_json_on_stderr_stays_json(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trace_clean(tmp_path, "--log", "log", "--format", "json") == 0
    (file,) = (tmp_path / "log" / "traces").iterdir()
    assert json.loads(capsys.readouterr().err) == read(file)


def test_a_place_that_can_t_be_written_is_said(
    stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text("a file", encoding="utf-8")
    assert trace_clean(tmp_path, "--log", "log") == 0
    assert "surefoot: the trace can't be saved in 'log': " in capsys.readouterr().err


def test_names_are_never_the_same_and_nothing_half_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {keep(TRACE, tmp_path) for _ in range(3)}
    assert len(kept) == 3 and all("-train-it-" in file.name for file in kept)
    assert all(read(file) == as_dict(TRACE) for file in kept)

    def fail(*args: object) -> None:
        raise OSError("full")

    monkeypatch.setattr("surefoot.lab.trace.keep.os.replace", fail)
    with pytest.raises(OSError, match="full"):
        keep(TRACE, tmp_path)
    assert set((tmp_path / "traces").iterdir()) == kept
