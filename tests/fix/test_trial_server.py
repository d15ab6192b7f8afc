"""The process that runs trials."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from surefoot.fix import trial_server
from surefoot.fix.trial import Trials
from surefoot.fix.trial_server import TrialError, TrialServer
from surefoot.launch.program import Program


def _put_in_place(command: list[str], monkeypatch: pytest.MonkeyPatch) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    monkeypatch.setattr(trial_server, "_start", lambda: process)
    return process


def test_process_that_ends_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    _put_in_place(["sh", "-c", "echo no torch >&2; exit 1"], monkeypatch)
    with TrialServer() as server, pytest.raises(TrialError, match="the program can't be tried: no torch"):
        server.run({}, None)


def test_run_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    process = _put_in_place(["sleep", "600"], monkeypatch)
    with TrialServer() as server:
        assert server.run({}, 0.1) is None
        assert process.poll() is not None


def test_what_a_trial_writes_elsewhere_is_its_own(
    server: TrialServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, folder = tmp_path / "elsewhere.txt", tmp_path / "project"
    kept.write_text("kept")
    folder.mkdir()
    monkeypatch.chdir(folder)
    file = repr(str(kept))
    Path("train.py").write_text(f"open({file}, 'w').write('mine')\nassert open({file}).read() == 'mine'\n")
    assert Trials(Program("train.py"), [], server).run({}).status == 0
    assert kept.read_text() == "kept"


def test_an_interrupted_trial_is_ended_before_its_folder_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would write into a folder that is being removed, and leave it behind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    seen: list[bool] = []

    class Interrupted(TrialServer):
        place = Path()

        def run(self, job: dict[str, Any], limit_seconds: float | None) -> int | None:
            self.place = Path(job["own"])
            raise KeyboardInterrupt

        def close(self) -> None:
            seen.append(self.place.exists())

    server = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        Trials(Program("train.py", ()), [], server).run({})
    assert seen == [True] and not server.place.exists()
