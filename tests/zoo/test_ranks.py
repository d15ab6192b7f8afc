"""Healthy programs for two ranks that look like bugs: nothing above a note may fire, on a rank or over both."""

from pathlib import Path

import pytest

from surefoot.facts import StepFacts
from tests.rules.ranks import Ranks, watch_on_ranks

pytestmark = pytest.mark.timeout(600)  # all programs are run before the first test
PROGRAMS = {p.stem: p for p in sorted((Path(__file__).parent / "ranks").glob("*.py")) if p.stem != "__init__"}
NOTED = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ranks]:
    """All of them in one go, because starting two ranks takes seconds."""
    return watch_on_ranks({name: file.read_text() for name, file in PROGRAMS.items()}, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_above_a_note_fires(name: str, ran: dict[str, Ranks]) -> None:
    assert [f for f in ran[name].all_findings if f.severity != "note"] == []


def test_all_ranks_note_the_same_at_the_same_updates(ran: dict[str, Ranks]) -> None:
    """Though they sleep through most of the run."""
    ranks = ran["many_steps_in_a_rhythm"]
    steps = [[r for r in records if isinstance(r, StepFacts)] for records in ranks.records]
    notes = [[step.replica for step in mine if step.replica is not None] for mine in steps]
    assert [[note.update for note in mine] for mine in notes] == [NOTED, NOTED]
    assert [note.checksum for note in notes[0]] == [note.checksum for note in notes[1]]
    assert len({note.checksum for note in notes[0]}) == len(NOTED)
    assert all(a.marks and a.marks != b.marks for a, b in zip(*notes, strict=True))
    assert sum(step.repeats > 32 for step in steps[0]) >= 3  # it did sleep
