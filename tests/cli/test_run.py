"""`surefoot run` on programs that train: options, report, exit status, run log, replay."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from surefoot.cli.main import main
from surefoot.runlog.read.run import load_run
from tests.cli.command import CLEAN, STALE, STALE_LINE, findings, surefoot, write
from tests.cli.conftest import RunHere
from tests.forked import client as forked


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a buggy script was run once, with a log and a report."""
    folder = tmp_path_factory.mktemp("logged")
    write(folder / "train.py", STALE)
    done = surefoot("run", "--report", "report.json", "train.py", cwd=folder)
    (folder / "said.txt").write_text(f"{done.status}\n{done.out!r}\n{done.err}")
    return folder


def test_a_bug_is_named_with_its_line(logged: Path) -> None:
    status, out, said = (logged / "said.txt").read_text().split("\n", 2)
    assert (status, out) == ("1", "b''")
    report = json.loads((logged / "report.json").read_text())
    assert list(report) == ["surefoot", "script", "steps", "findings", "not_checked"]
    assert (report["script"], report["steps"]) == ("train.py", 6)
    assert [entry["rule"] for entry in report["not_checked"]] == ["wrong-custom-backward"]  # without --gradcheck
    (found,) = report["findings"]
    assert list(found) == [
        "rule", "severity", "message", "why", "fix", "file", "line", "step", "count", "evidence",
    ]  # fmt: skip
    assert (found["rule"], found["severity"], found["step"], found["count"]) == ("stale-gradients", "error", 2, 5)
    assert (Path(found["file"]), found["line"]) == (logged / "train.py", STALE_LINE)
    announced = f"surefoot: error[stale-gradients] at train.py:{STALE_LINE}, step 2\n"
    assert said.startswith(announced)
    assert "> 11 |     optimizer.step()" in said
    assert said.splitlines()[-1].startswith("surefoot: 1 finding in 6 steps; ")


def test_replay_finds_the_same_again(
    logged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(logged)
    assert main(["replay", "latest", "--report", "again.json"]) == 1
    assert (logged / "again.json").read_text() == (logged / "report.json").read_text()
    assert "error[stale-gradients]" in capsys.readouterr().err
    assert main(["replay", "latest", "--ignore", "grad"]) == 0
    assert main(["replay", "latest", "--fail-on", "never"]) == 0
    capsys.readouterr()
    assert main(["replay", "no-such-run"]) == 2
    assert "there is no run 'no-such-run'" in capsys.readouterr().err
    assert main(["replay", "."]) == 2
    assert "holds no run log" in capsys.readouterr().err


def test_an_assistant_is_told_what_to_do_next(
    logged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(logged)
    assert main(["replay", "latest", "--format", "agent"]) == 1
    replayed = json.loads(capsys.readouterr().err)
    assert replayed["exit_status"] == "1 (a finding reaches --fail-on error)"
    ran = forked.surefoot("run", "--no-log", "--format", "agent", "--fail-on", "never", "train.py", cwd=logged)
    assert (ran.status, ran.out) == (0, b"")
    told = json.loads(ran.err)
    assert told["exit_status"] == "the script's own if it is not 0; else 0 (--fail-on never)"
    assert told["commands"]["show_proven_patches"] == "surefoot fix train.py"
    assert told["findings"] == replayed["findings"]
    (found,) = told["findings"]
    assert (found["rule"], found["file"], found["line"]) == ("stale-gradients", "train.py", STALE_LINE)
    assert found["patch_known"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["none.py"], "there is no file 'none.py'"),
        (["."], "is a folder without a __main__.py"),
        (["-m", "nothing_like_it"], "there is no module named 'nothing_like_it'"),
        (["-m", "json.nothing"], "there is no module named 'json.nothing'"),
        (["-m", "math"], "'math' has no Python code to run"),
        (["--report", "no/such/folder.json", "ok.py"], "the report can't be written to 'no/such/folder.json'"),
        (["--select", "stale-gradient", "ok.py"], "Did you mean 'stale-gradients'?"),
        (["--ignore", "grad,klip", "ok.py"], "Did you mean 'clip'?"),
        (["--max-steps", "0", "ok.py"], "must be a whole number, at least 1, got '0'"),
        (["--max-steps", "many", "ok.py"], "must be a whole number, at least 1, got 'many'"),
        (["--overhead", "2", "ok.py"], "must be a share between 0 and 1, got '2'"),
        (["--format", "xml", "ok.py"], "must be one of text, json, github, sarif, agent, got 'xml'"),
        (["--unknown", "ok.py"], "has no option --unknown"),
        (["--rep", "x", "ok.py"], "has no option --rep. Did you mean --report?"),
        ([], "name a SCRIPT, or a module"),
        (["-m"], "name a SCRIPT, or a module"),
    ],
)
def test_wrong_usage_is_said_before_anything_runs(args: list[str], said: str, tmp_path: Path) -> None:
    write(tmp_path / "ok.py", "print('it ran')")
    done = forked.surefoot("run", *args, cwd=tmp_path)
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == b""
    assert [p.name for p in tmp_path.iterdir()] == ["ok.py"]


def test_settings_of_the_project(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "ok.py", "")
    write(tmp_path / "pyproject.toml", '[tool.surefoot]\nignore = ["stale"]\n')
    done = forked.surefoot("run", "sub/ok.py", cwd=tmp_path)
    assert done.status == 2
    assert f"Did you mean 'stale-gradients'? `surefoot rules` lists them all; this name is in {tmp_path}" in done.err
    write(tmp_path / "pyproject.toml", '[tool.surefoot]\nselect = "grad"\n')
    assert "must be a list of rule names" in forked.surefoot("run", "sub/ok.py", cwd=tmp_path).err
    write(tmp_path / "pyproject.toml", '[tool.surefoot]\nselect = ["clip"]\nignore = ["clip-after-step"]\n')
    num_clip = int(forked.surefoot("run", "sub/ok.py", cwd=tmp_path).err.split("; ")[2].split()[0])
    assert "1 rule checked" in forked.surefoot("run", "--select", "stale-gradients", "sub/ok.py", cwd=tmp_path).err
    again = forked.surefoot("run", "--ignore", "clip-per-micro-batch", "sub/ok.py", cwd=tmp_path).err
    assert f"{num_clip - 1} rules checked" in again


EVERYTHING = (
    CLEAN.replace("for _ in range(6)", "for i in range(20)")
    + """
import os
print("steps", i + 1)
os.chdir("/")
"""
)


def test_a_clean_script_and_its_log(tmp_path: Path, run_here: RunHere) -> None:
    write(tmp_path / "train.py", EVERYTHING)
    done = run_here("--log", "logs", "--report", "report.json", "train.py")
    assert (done.status, done.out) == (0, b"steps 20\n")
    assert findings(tmp_path / "report.json") == []
    assert "0 findings in 20 steps" in done.err
    (run,) = (tmp_path / "logs").iterdir()
    assert sorted(file.name for file in run.iterdir()) == ["rank-0.db", "rank-0.id"]


def test_max_steps_ends_the_script(tmp_path: Path, run_here: RunHere) -> None:
    write(tmp_path / "train.py", EVERYTHING)
    done = run_here("--no-log", "--max-steps", "5", "--format", "json", "train.py")
    assert (done.status, done.out) == (0, b"")
    assert json.loads(done.err)["steps"] == 5
    assert not (tmp_path / "runs").exists()


def test_stop_on_raises_at_the_step(tmp_path: Path) -> None:
    saving = STALE.replace("    optimizer.step()", "    torch.save(model.weight, 'before.pt')\n    optimizer.step()")
    after = "\nimport atexit\natexit.register(lambda: print(torch.equal(torch.load('before.pt'), model.weight)))\n"
    write(tmp_path / "train.py", saving.replace("\ntorch.manual_seed(0)", after + "torch.manual_seed(0)"))
    done = forked.surefoot("run", "--no-log", "--stop-on", "error", "train.py", cwd=tmp_path)
    assert done.status == 1
    assert done.out == b"True\n"
    lines = done.err.splitlines()
    at = lines.index("Traceback (most recent call last):")
    assert lines[at + 2] == "    optimizer.step()"
    assert lines[at + 3].startswith("surefoot.FindingError: stale-gradients: ")
    assert "1 finding in 2 steps" in done.err


def test_thorough_records_every_step_in_children_too(tmp_path: Path) -> None:
    write(tmp_path / "train.py", CLEAN.replace("range(6)", "range(100)"))
    write(tmp_path / "launch.py", "import subprocess, sys, train\nsubprocess.run([sys.executable, 'train.py'])\n")
    recorded = []
    for name, options in (("train.py", []), ("launch.py", ["--thorough"])):
        done = forked.surefoot("run", "--log", f"{name}.runs", *options, name, cwd=tmp_path)
        assert done.status == 0, done.err
        (folder,) = (tmp_path / f"{name}.runs").iterdir()
        asked = "select rank is null, count(*) from steps group by all order by all"
        recorded.append(list(load_run(folder).sql(asked)))
    assert [count < 100 for _, count in recorded[0]] == [True]
    assert recorded[1] == [(False, 100), (True, 100)]


def test_the_worst_of_several_trouble(tmp_path: Path, run_here: RunHere, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that can't be written and a probe that fails: each said once, and the script goes on."""
    (tmp_path / "runs").write_text("in the way")
    monkeypatch.setattr(importlib.import_module("surefoot.watch.clear").ClearProbe, "_note", lambda *args: 1 / 0)
    write(tmp_path / "train.py", CLEAN)
    done = run_here("--report", "report.json", "train.py")
    assert done.status == 0
    assert done.err.count("can't be written any more; training goes on") == 1
    assert (
        done.err.count("surefoot: probe clear failed and is switched off; the script goes on. ZeroDivisionError") == 1
    )
    unchecked = {
        item["rule"]: item["why"] for item in json.loads((tmp_path / "report.json").read_text())["not_checked"]
    }
    assert "probe clear is off: ZeroDivisionError" in unchecked["stale-gradients"]


def test_findings_of_a_script_that_raises(tmp_path: Path, run_here: RunHere) -> None:
    write(tmp_path / "train.py", STALE + "raise ValueError('after all')\n")
    done = run_here("--no-log", "--notes", "--format", "github", "train.py")
    assert done.status == 1
    assert "ValueError: after all\n::error file=train.py,line=11,title=surefoot%3A stale-gradients::" in done.err


def test_an_interrupted_script_is_told_first(tmp_path: Path, run_here: RunHere) -> None:
    write(tmp_path / "train.py", STALE + "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        run_here("--no-log", "--report", "report.json", "train.py")
    assert [found["rule"] for found in findings(tmp_path / "report.json")] == ["stale-gradients"]
    assert sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None) is None  # Python shows nothing more


def test_a_report_that_lost_its_folder_is_said(tmp_path: Path, run_here: RunHere) -> None:
    (tmp_path / "out").mkdir()
    write(tmp_path / "train.py", "import shutil\nshutil.rmtree('out')\n")
    done = run_here("--report", "out/report.json", "train.py")
    assert done.status == 0
    assert "the report can't be written to" in done.err


def test_notes_are_shown_on_request(tmp_path: Path, run_here: RunHere) -> None:
    write(tmp_path / "train.py", CLEAN.replace("backward()", "backward(retain_graph=True)").replace("6", "40"))
    hidden = run_here("--no-log", "--report", "hidden.json", "train.py")
    assert findings(tmp_path / "hidden.json") == []
    assert "1 note hidden (--notes shows them)" in hidden.err
    shown = run_here("--no-log", "--notes", "--report", "shown.json", "train.py")
    assert [found["rule"] for found in findings(tmp_path / "shown.json")] == ["needless-retain-graph"]
    assert "note[needless-retain-graph]" in shown.err
    assert hidden.status == shown.status == 0


def test_a_comment_on_the_line_suppresses(tmp_path: Path, run_here: RunHere) -> None:
    write(
        tmp_path / "train.py",
        STALE.replace("optimizer.step()", "optimizer.step()  # surefoot: ignore[stale-gradients]"),
    )
    assert run_here("--no-log", "train.py").status == 0
