"""Names, tags and notes are changed beside the log, whole or not at all, also by several at once."""

import dataclasses
import json
import threading
from pathlib import Path

import pytest

import surefoot as sf
from surefoot.cli.main import main
from surefoot.runlog.doctor import examine, salvage_run
from surefoot.runlog.edits import KEPT, MOST_EDITS, MOST_STEPS, Change, EditError, change_labels, read_edits, undo
from surefoot.runlog.labels import Labels
from surefoot.runlog.read.run import load_run
from surefoot.runlog.trash import discard, restore
from tests.runlog.making import FINISHED, LogFile

NAME = "20260101-train"
STARTED = Labels(name="first", tags=("a",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "runs" / NAME
    with LogFile(place / "rank-0.db", {**FINISHED, **STARTED.as_meta()}) as log:
        log.log([1, 2], loss=[2.0, 1.0])
    return place


def setting(**fields: object) -> Change:
    return lambda now: dataclasses.replace(now, **fields)  # type: ignore[arg-type]


def tagging(tag: str) -> Change:
    return lambda now: dataclasses.replace(now, tags=(*now.tags, tag))


def labels(folder: Path) -> Labels:
    return load_run(folder).labels


def test_edits_and_the_way_back(folder: Path) -> None:
    before = (folder / "rank-0.db").read_bytes()
    assert labels(folder) == STARTED
    change_labels(folder, STARTED, setting(name="second", notes="why\n<b>"))
    last = change_labels(folder, STARTED, tagging("b"))
    assert labels(folder) == Labels("second", "", ("a", "b"), "why\n<b>")
    assert change_labels(folder, STARTED, setting(name="second")) is None
    change_labels(folder, STARTED, setting(archived=True))
    assert last is not None
    with pytest.raises(EditError, match="edited again since"):
        undo(folder, last.number)
    undo(folder)
    assert labels(folder) == Labels("second", "", ("a", "b"), "why\n<b>")
    undo(folder)
    undo(folder)
    assert labels(folder) == STARTED
    with pytest.raises(EditError, match="no edit of"):
        undo(folder)
    assert (folder / "rank-0.db").read_bytes() == before


def test_two_at_once_both_count(folder: Path) -> None:
    """Readers never see less than there was."""
    num, threads = 6, []
    seen: list[int] = []
    done = threading.Event()

    def write(mine: int) -> None:
        for one in range(num):
            change_labels(folder, Labels(), tagging(f"{mine}-{one}"))

    def read() -> None:
        while not done.is_set():
            seen.append(len(labels(folder).tags))

    reader = threading.Thread(target=read)
    reader.start()
    threads = [threading.Thread(target=write, args=(mine,)) for mine in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reader.join()
    assert set(labels(folder).tags) >= {f"{mine}-{one}" for mine in range(4) for one in range(num)}
    assert seen == sorted(seen)
    edits = [file.name for file in folder.glob("edit-*")]
    assert len(edits) <= KEPT and all(name.endswith(".json") for name in edits)


def test_what_is_kept_is_bounded(folder: Path) -> None:
    for number in range(MOST_STEPS + 5):
        change_labels(folder, STARTED, setting(notes=str(number)))
    for _ in range(MOST_STEPS):
        undo(folder)
    assert labels(folder).notes == "4"
    with pytest.raises(EditError):
        undo(folder)
    with pytest.raises(EditError, match="at most"):
        change_labels(folder, STARTED, setting(name="x" * 300))
    with pytest.raises(EditError, match="tags are strings, such as"):
        change_labels(folder, STARTED, setting(tags=5))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"state": {"tags": [1]}, "earlier": []}', '{"state": {"name": 3}, "earlier": []}',
             '{"state": [], "earlier": {}}', '{"state": {"tags": 5}, "earlier": []}', "[" * 100_000, " " * 3_000_000,
             '{"number": 7, "of": [], "state": {"name": "x"}, "earlier": [], "crc": "00000000"}'],
)  # fmt: skip
def test_a_damaged_edit_hides_no_run(folder: Path, text: str) -> None:
    change_labels(folder, STARTED, setting(name="second"))
    (folder / "edit-7.json").write_text(text)
    run = load_run(folder)
    assert run.labels.name == "second" and run.first.problems == []
    (problem,) = run.problems
    assert str(folder / "edit-7.json") in problem and "are as the edit before it left them" in problem
    assert [part.state for part in examine(folder)] == ["damaged", "not verified", "whole"]
    change_labels(folder, STARTED, setting(name="third"))
    assert labels(folder).name == "third" and load_run(folder).problems == []


def test_each_bit_of_an_edit_is_told_or_harmless(folder: Path) -> None:
    change_labels(folder, STARTED, setting(name="second"))
    made = change_labels(folder, STARTED, setting(tags=("b",), archived=True))
    assert made is not None
    file, told = folder / "edit-2.json", labels(folder)
    data = file.read_bytes()
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        edits = read_edits(folder, ["edit-1.json", "edit-2.json"])
        assert edits.damaged or edits.over(STARTED) == told, bytes(changed)


def test_an_edit_counts_in_its_own_place_only(tmp_path: Path) -> None:
    folders = []
    for name in ("one", "two"):
        with sf.start_run(tmp_path / name) as run:
            sf.log({"loss": 1.0})
        folders.append(run.folder.rename(tmp_path / name / name))
    for folder in folders:
        for name in ("a", "b"):
            change_labels(folder, Labels(), setting(name=f"{name} of {folder.name}"))
    first, second = (folder / "edit-2.json" for folder in folders)
    content, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(content)
    for folder in folders:
        assert labels(folder).name == f"a of {folder.name}"
        assert "was written for another place" in load_run(folder).problems[0]
    (folders[0] / "edit-1.json").rename(folders[0] / "edit-9.json")
    assert labels(folders[0]).name == "" and len(load_run(folders[0]).problems) == 2
    second.write_bytes(other)
    copy = folders[1].rename(tmp_path / "renamed")
    assert labels(copy).name == "b of two"


def test_names_that_are_no_utf_8(folder: Path) -> None:
    change_labels(folder, STARTED, setting(name="bad \udcff", tags=("\ud800",)))
    assert labels(folder) == Labels("bad \\udcff", tags=("\\ud800",))


def test_names_that_are_no_edits(folder: Path) -> None:
    """Nor does a link to nowhere keep readers busy for ever."""
    change_labels(folder, STARTED, setting(name="second"))
    (folder / "edit-007.json").write_text("{}")
    (folder / "edit-٣.json").write_text("{}")
    assert load_run(folder).problems == [] and labels(folder).name == "second"
    (folder / "edit-8.json").symlink_to(folder / "nowhere")
    assert "can't be read" in load_run(folder).problems[0] and labels(folder).name == "second"
    (folder / f"edit-{MOST_EDITS}.json").write_text("{}")
    with pytest.raises(EditError, match="remove it"):
        change_labels(folder, STARTED, setting(name="third"))


def test_what_is_salvaged_keeps_its_edits(folder: Path, tmp_path: Path) -> None:
    change_labels(folder, STARTED, setting(name="second"))
    change_labels(folder, STARTED, setting(name="third"))
    (folder / "edit-2.json").write_text("{")
    (lost,) = salvage_run(folder, tmp_path / "saved")
    assert "edit-2.json is damaged" in lost
    assert labels(tmp_path / "saved").name == "second"


def test_deleted_runs_come_back(folder: Path) -> None:
    runs = sf.open(folder.parent)
    discard(folder)
    assert len(runs) == 0 and len(sf.open(folder.parent / "deleted")) == 1
    with pytest.raises(EditError, match="no deleted run"):
        restore(folder.parent, "../train")
    restore(folder.parent, NAME)
    assert runs[NAME].labels == STARTED
    discard(folder)
    folder.mkdir()
    with pytest.raises(EditError, match="already"):
        restore(folder.parent, NAME)


def test_a_running_run_is_not_deleted(tmp_path: Path) -> None:
    with sf.start_run(tmp_path, name="alive") as run:
        sf.log({"loss": 1.0})
        with pytest.raises(EditError, match="it is not deleted"):
            discard(run.folder)


def test_commands(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent.parent)
    for words in (["rename", "latest", "wide net"], ["tag", NAME, "b", "c"], ["untag", "2026", "a"],
                  ["group", "latest", "width"], ["note", "latest", "twice as wide"]):  # fmt: skip
        assert main(["runs", *words]) == 0
    assert labels(folder) == Labels("wide net", "width", ("b", "c"), "twice as wide")
    assert main(["runs", "undo", "latest"]) == 0
    assert labels(folder).notes == ""
    assert main(["query", "select name, run_group, tags, archived from runs", "--format", "csv"]) == 0
    assert 'wide net,width,"b,c",false' in capsys.readouterr().out
    assert main(["runs", "archive", "latest"]) == 0
    assert main(["runs", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["runs", "--archived"]) == 0
    assert NAME in capsys.readouterr().out
    assert main(["runs", "delete", "latest"]) == 0
    assert main(["runs", "restore", NAME]) == 0
    assert labels(folder).archived
    assert main(["runs", "untag", "latest", "b", "nope"]) == 2
    assert "the run has no tag 'nope'. It has: b, c." in capsys.readouterr().err
    assert main(["runs", "tag", "latest", "a,b"]) == 2
    assert "a tag is a short text without commas" in capsys.readouterr().err
    assert main(["rm", "--yes", NAME]) == 0
    assert not folder.exists()
