"""One process with torch for all trials of these tests: its import takes longer than the programs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.fix.fixer import Fixer
from surefoot.fix.patch import Fixed
from surefoot.fix.project import Project
from surefoot.fix.trial import Trials
from surefoot.fix.trial_server import TrialServer
from surefoot.launch.program import Program
from surefoot.rules.catalogue import catalogue


@pytest.fixture(scope="package")
def server() -> Iterator[TrialServer]:
    with TrialServer() as server:
        yield server


class Fix:
    """Fixes a program in its own folder."""

    def __init__(self, server: TrialServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._server = server
        self.folder = folder
        monkeypatch.chdir(folder)

    def __call__(self, code: str, second_choice: tuple[str, ...] = ()) -> Fixed:
        (self.folder / "train.py").write_text(code)
        program = Program("train.py")
        trials = Trials(program, list(catalogue()), self._server)
        project = Project(program, trials.workspace.holds)
        return Fixer(trials, project, _hear, second_choice).fix(trials.run({}))


def _hear(text: str) -> None:
    assert "can't be made" not in text, text


@pytest.fixture
def fix(server: TrialServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fix:
    return Fix(server, tmp_path, monkeypatch)
