"""`surefoot fix`, as it is called."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jsonschema
import pytest

import surefoot as sf
from surefoot.cli import fix_command
from surefoot.cli.main import main
from surefoot.dashboard.data.findings import findings
from surefoot.fix.trial import Trials
from surefoot.fix.trial_server import TrialServer
from tests.cli.command import CLEAN, STALE, STALE_LINE
from tests.fix.programs import NET, TWO_BUGS

WITH_ARGUMENT = STALE.replace("range(6)", "range(int(__import__('sys').argv[1]))")


@pytest.fixture
def folder(server: TrialServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    @contextmanager
    def shared() -> Iterator[TrialServer]:
        yield server

    monkeypatch.setattr(fix_command, "TrialServer", shared)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_and_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(WITH_ARGUMENT)
    assert main(["fix", "train.py", "--json", "fixes.json", "--output", "fixed.py", "--log", "kept", "6"]) == 0
    told = json.loads((folder / "fixes.json").read_text())
    assert set(told) == {"patches", "unpatched"}
    assert told["unpatched"] == []
    (patch,) = told["patches"]
    told_of_patch = {"rule", "file", "line", "meaning", "diff", "proven", "loss_before", "loss_after", "alternative"}
    assert set(patch) == told_of_patch
    assert (patch["file"], patch["alternative"]) == (str(folder / "train.py"), None)
    assert (patch["rule"], patch["line"], patch["proven"]) == ("stale-gradients", STALE_LINE, True)
    assert "+    optimizer.zero_grad()\n" in patch["diff"]
    assert isinstance(patch["loss_before"], float) and isinstance(patch["loss_after"], float)
    cleared = WITH_ARGUMENT.replace("    loss.back", "    optimizer.zero_grad()\n    loss.back")
    assert (folder / "fixed.py").read_text() == cleared
    assert (folder / "train.py").read_text() == WITH_ARGUMENT
    said = capsys.readouterr()
    assert "proven: the finding is gone, no new one came; final loss" in said.out
    assert "1 proven patch; findings 1 → 0" in said.out
    assert "wrote fixed.py." in said.err
    (run,) = sf.open("kept")
    assert f"saved as kept/{run.name}" in said.err
    assert len(run.scalars("loss")) == len(run.scalars("patched/loss")) == 6
    assert [(one["rule"], one["patches"][0]["diff"]) for one in findings(run)] == [("stale-gradients", patch["diff"])]
    assert main(["replay", "--log", "kept", "latest"]) == 2
    assert "holds the result of `surefoot fix`, without steps to evaluate" in capsys.readouterr().err


def test_apply_writes_all_files_and_sarif_tells_of_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(TWO_BUGS)
    (folder / "net.py").write_text(NET)
    (folder / "net.py").chmod(0o640)
    assert main(["fix", "--format", "sarif", "--apply", "train.py"]) == 0
    assert "optimizer.zero_grad()\n    loss.backward()" in (folder / "train.py").read_text()
    assert "softmax" not in (folder / "net.py").read_text()
    assert (folder / "net.py").stat().st_mode & 0o777 == 0o640
    assert {file.name for file in folder.iterdir()} == {"train.py", "net.py"}
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    changes = {result["ruleId"]: result["fixes"][0]["artifactChanges"][0] for result in results}
    (replaced,) = changes["stale-gradients"]["replacements"]
    line = TWO_BUGS.splitlines().index("    loss.backward()") + 1
    assert replaced["deletedRegion"]["startLine"] == replaced["deletedRegion"]["endLine"] == line
    assert replaced["insertedContent"]["text"] == "    optimizer.zero_grad()\n"
    assert changes["softmax-before-cross-entropy"]["artifactLocation"]["uri"] == "net.py"


def test_suggestions_for_github_and_nothing_to_mend(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(STALE)
    assert main(["fix", "--format", "github", "train.py"]) == 0
    (comment,) = json.loads(capsys.readouterr().out)
    jsonschema.validate(comment, {"type": "object", "required": ["path", "line", "side", "body"]})
    assert comment["line"] == STALE_LINE - 1
    assert comment["body"].endswith("```suggestion\n    optimizer.zero_grad()\n    loss.backward()\n```\n")
    (folder / "train.py").write_text(CLEAN)
    assert main(["fix", "train.py"]) == 0
    assert "nothing to mend in 6 steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\n", "ended without a step of an optimizer"),
        ("raise ValueError('no data')\n", "fails before its first step: ValueError: no data"),
    ],
)
def test_program_that_does_not_train(code: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(code)
    assert main(["fix", "train.py"]) == 2
    assert said in capsys.readouterr().err


def test_usage_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(STALE)
    assert main(["fix", "missing.py"]) == 2
    assert main(["fix", "train.py", "--json", "no/such/folder.json"]) == 2
    assert main(["fix", "--apply"]) == 2
    assert main(["fix", "--aply", "train.py"]) == 2
    missing, unwritable, nameless, mistyped = capsys.readouterr().err.splitlines()
    assert "there is no file 'missing.py'" in missing
    assert "can't be written to 'no/such/folder.json'" in unwritable
    assert "name a SCRIPT, or a module with -m MODULE" in nameless
    assert "has no option --aply. Did you mean --apply?" in mistyped


def test_interrupt_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(STALE)

    def interrupt(self: Trials, sources: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "run", interrupt)
    assert main(["fix", "train.py", "--apply"]) == 130
    assert "no file was changed" in capsys.readouterr().err
    assert (folder / "train.py").read_text() == STALE


def test_output_takes_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(TWO_BUGS)
    (folder / "net.py").write_text(NET)
    assert main(["fix", "train.py", "--output", "fixed.py", "--select", "softmax-before-cross-entropy"]) == 2
    assert "Use --apply" in capsys.readouterr().err
    assert not (folder / "fixed.py").exists()
