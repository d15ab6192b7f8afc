"""A damaged log never gives a wrong number: what was changed is named and left out, the rest is read."""

import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from surefoot.cli.main import main
from surefoot.facts import EndFacts
from surefoot.runlog.checksum import KEYS, checksum
from surefoot.runlog.read import Run, RunLogError, RunLogWarning, open_runs, verify
from surefoot.runlog.read.run import load_run
from surefoot.runlog.write import seal
from surefoot.runlog.write.file_id import has_note, read_file_id
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.store import Store
from tests.runlog.making import FINDING, LogFile

PAGE = 4096
FILES = Path(__file__).parents[1] / "files"
Capture = pytest.CaptureFixture[str]
LOST = {
    "meta": "1 of", "records": "1 of 2 facts", "findings": "1 of 2 findings", "series": "names of series",
    "layouts": "layouts of series", "chunks": "1 of 2 blocks of scalars", "segments": "1 of 1 segments",
    "segment_sums": "1 of 1 segments", "sealed": "1 of 2 summaries", "edges": "2 of 2 histograms",
    "hists": "1 of 2 histograms", "events": "1 of 2 events", "excerpts": "1 of 2 excerpts",
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with something in every table."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seal, "SEAL_BYTES", 10**9)
        patch.setattr(seal, "CLOSE_BYTES", 1)
        _write(folder, range(1, 9))
        patch.setattr(seal, "CLOSE_BYTES", 10**9)
        _write(folder, range(9, 17))
        _write(folder, range(17, 25))
    return folder


def _write(folder: Path, steps: range) -> None:
    log = RunLog(folder / "rank-0.db", {"ended": "2026-01-15T23:15:05+0100"}, pytest.fail)
    for step in steps:
        log.scalars(step, {"loss": 1 / step, "lr": 0.5})
    if steps[0] > 1:
        log.hist(steps[0], "weights", [0.0, 1.0], [steps[0]])
        log.record(EndFacts(at=steps[0], num_steps=steps[0]))
        names = ("rule", "severity", "message", "why", "fix", "file", "line", "step", "count", "evidence")
        log.finding(steps[0], dict(zip(names, FINDING, strict=True)))
        log.event("resume", "on", steps[0])
    log.close()


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "runs" / "run"))


def change(folder: Path, statement: str) -> None:
    """As another tool does, or a disk."""
    with closing(sqlite3.connect(folder / "rank-0.db")) as connection:
        connection.execute(statement)
        connection.commit()


def losses(run: Run) -> dict[int, float]:
    found = run.first.columns(lambda series: series.name == "loss")
    return {step: value for column in found.values() for step, value in zip(column.steps, column.values, strict=True)}


def test_a_whole_run_has_no_problems(folder: Path) -> None:
    run = load_run(folder)
    assert (run.problems, losses(run)) == ([], {step: 1 / step for step in range(1, 25)})


@pytest.mark.parametrize("table", sorted(KEYS))
def test_a_row_that_is_gone_is_named(folder: Path, table: str) -> None:
    key = KEYS[table]
    which = "'row'" if table == "meta" else f"(SELECT max({key}) FROM {table})"
    change(folder, f"DELETE FROM {table} WHERE {key} = {which}")
    run = load_run(folder)
    assert LOST[table] in run.problems[0]
    assert losses(run).items() <= {step: 1 / step for step in range(1, 25)}.items()


def test_a_row_that_was_changed_or_added_is_left_out(folder: Path) -> None:
    change(folder, "UPDATE chunks SET vals = zeroblob(length(vals)) WHERE id = (SELECT max(id) FROM chunks)")
    change(folder, "INSERT INTO events (step, time, kind, text) VALUES (1, 1.0, 'stop', 'never')")
    run = load_run(folder)
    assert "it has lost 1 of 2 blocks of scalars, 1 of 3 events; the rest is read" in run.problems[0]
    assert losses(run) == {step: 1 / step for step in range(1, 17)}
    assert [event.kind for event in run.first.events()] == ["resume", "resume"]
    with pytest.warns(RunLogWarning, match="rank-0.db is damaged"):
        run.scalars("loss")
    with pytest.warns(RunLogWarning, match="rank-0.db is damaged"):
        open_runs(folder.parent).sql("SELECT count(*) FROM scalars")


def test_a_counter_that_was_changed_hides_no_rows(folder: Path) -> None:
    change(folder, "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'chunks'")
    run = load_run(folder)
    news = run.first.after()
    assert {series.name: len(column) for series, column in news.columns.items()} == {"loss": 24, "lr": 24}
    assert "every row in it could still be read" in run.problems[0]


def test_a_column_that_lost_its_name_is_noticed(folder: Path) -> None:
    file = folder / "rank-0.db"
    file.write_bytes(
        file.read_bytes().replace(b"num_rows INTEGER NOT NULL, last_step", b"num_rowz INTEGER NOT NULL, last_step")
    )
    run = load_run(folder)
    assert "every row in it could still be read" in run.problems[0]
    assert run.first.vitals[0].last_loss == 1 / 24


def test_each_page_may_be_lost(folder: Path) -> None:
    """Also those of indexes, of the checksums and of the table of tables."""
    file = folder / "rank-0.db"
    data = file.read_bytes()
    num_read = 0
    for at in range(0, len(data), PAGE):
        file.write_bytes(data[:at] + bytes(PAGE) + data[at + PAGE :])
        try:
            run = load_run(folder)
        except RunLogError:
            continue
        num_read += 1
        found = losses(run)
        assert found.items() <= {step: 1 / step for step in range(1, 25)}.items()
        assert run.problems or len(found) == 24
    assert num_read > 5


def test_a_segment_that_was_changed_is_left_out(folder: Path) -> None:
    (segment,) = folder.glob("*.segments/*.parquet")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    run = load_run(folder)
    assert losses(run) == {step: 1 / step for step in range(9, 25)}
    assert run.problems == [f"{segment} is damaged: its 16 values are left out."]
    assert run.problems[0] in open_runs(folder.parent)[folder.name].ask("SELECT count(*) FROM scalars").problems


def test_a_log_without_its_checksums_is_refused(folder: Path) -> None:
    change(folder, "DROP TABLE checksums")
    with pytest.raises(RunLogError, match="its checksums are gone"):
        load_run(folder)


def test_a_log_of_an_older_version_has_none_and_is_read(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as log:
        log.log(range(1, 9), loss=[1 / step for step in range(1, 9)])
    run = load_run(tmp_path)
    assert (run.problems, len(losses(run))) == ([], 8)


def test_a_damaged_log_of_an_older_version_is_named_and_never_fails(tmp_path: Path, capsys: Capture) -> None:
    """Its rows have no checksums, so it is only sure that it is damaged."""
    folder = Path(shutil.copytree(FILES / "version-2", tmp_path / "run"))
    file = folder / "rank-0.db"
    data = file.read_bytes()
    page = ["report", "run", "--force", "-o", str(tmp_path / "r.html")]
    for at in range(0, len(data), 2 * PAGE):
        file.write_bytes(data[:at] + data[at + PAGE : at + 2 * PAGE] + data[at + PAGE :])
        for command in (["show", "run"], page):
            assert main([*command, "--log", str(tmp_path)]) in (0, 2)
            said = capsys.readouterr().err
            assert "Error" not in said and "NoneType" not in said and "'int'" not in said
    file.write_bytes(data)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'count INTEGER NOT NULL', 'count INTEGER')")
        connection.commit()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE findings SET count = NULL")
        connection.commit()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'count INTEGER', 'count INTEGER NOT NULL')")
        connection.commit()
    run = load_run(folder)
    assert "no checksums, so what is read of it may be wrong" in run.problems[0]
    assert run.first.findings() == []
    assert len(run.first.segments()) == 1


def test_a_run_that_is_followed_is_verified_as_it_grows(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    for step in range(1, 4):
        log.scalars(step, {"loss": 1 / step})
        assert log.flush()
        run = load_run(tmp_path)
        assert (run.problems, len(losses(run))) == ([], step)
    change(tmp_path, "UPDATE chunks SET num_steps = 2 WHERE id = 3")
    log.scalars(4, {"loss": 1 / 4})
    assert log.flush()
    change(tmp_path, "UPDATE chunks SET num_steps = 2 WHERE id = 4")
    run = load_run(tmp_path)
    assert "2 of 4 blocks of scalars" in run.problems[0]
    assert list(losses(run)) == [1, 2]
    log.close()


def test_rows_of_a_file_that_is_as_it_was_left_need_no_look(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    verify_rows = verify._verify_rows
    monkeypatch.setattr(verify, "_verify_rows", lambda *given: looked.append(given) or verify_rows(*given))
    assert load_run(folder).problems == [] == looked
    noted = folder / "rank-0.id"
    text = noted.read_text("ascii")
    noted.write_text(text[:-3] + "00\n", "ascii")  # damaged itself
    verify._known.clear()
    assert load_run(folder).problems == [] and len(looked) == 1
    noted.write_text(text, "ascii")
    change(folder, "UPDATE chunks SET vals = zeroblob(length(vals)) WHERE id = (SELECT max(id) FROM chunks)")
    assert "1 of 2 blocks of scalars" in load_run(folder).problems[0]


def test_a_file_that_was_damaged_before_it_was_closed_is_not_called_whole(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.scalars(1, {"loss": 0.5})
    assert log.flush()
    change(tmp_path, "UPDATE chunks SET num_steps = 2")
    log.close()
    assert "1 of 1 blocks of scalars" in load_run(tmp_path).problems[0]


def test_an_older_copy_of_a_file_is_not_taken_for_the_file(tmp_path: Path) -> None:
    """Each of its rows has its checksum."""
    file = tmp_path / "rank-0.db"
    for step in (1, 2):
        log = RunLog(file, {}, pytest.fail)
        log.scalars(step, {"loss": 1 / step})
        log.close()
        if step == 1:
            older = file.read_bytes()
    assert load_run(tmp_path).problems == []
    file.write_bytes(older)
    run = load_run(tmp_path)
    assert "is not as it was closed" in run.problems[0]
    assert losses(run) == {1: 1.0}


def test_a_note_does_not_outlive_the_next_opening(folder: Path) -> None:
    file = folder / "rank-0.db"
    assert has_note(file)
    store = Store(file)
    assert not has_note(file)
    store.close()
    assert load_run(folder).problems == []


def test_the_note_of_another_file_is_not_replaced(folder: Path) -> None:
    noted = folder / "rank-0.id"
    name = "0123456789abcdef"
    noted.write_text("".join(f"{line} {zlib.crc32(line.encode()):08x}\n" for line in (name, "1-00000000")), "ascii")
    Store(folder / "rank-0.db").close()
    assert read_file_id(folder / "rank-0.db") == name
    with pytest.raises(RunLogError, match="is not the file that was written under this name"):
        load_run(folder)


def test_rows_of_another_file_do_not_fit_in(tmp_path: Path) -> None:
    """Ranks write files of the same layout; pages of one may come into another's, with their checksums."""
    files = []
    for rank in (0, 1):
        log = RunLog(tmp_path / f"rank-{rank}.db", {"rank": str(rank)}, pytest.fail)
        for step in range(1, 200):
            log.scalars(step, {"loss": rank + 1 / step})
            if step % 20 == 0:
                assert log.flush()
        log.close()
        files.append(tmp_path / f"rank-{rank}.db")
    mine, other = (file.read_bytes() for file in files)
    num_read = 0
    for first in range(0, len(mine), PAGE):
        for last in range(first + PAGE, len(mine) + 1, 4 * PAGE):
            spliced = mine[:first] + other[first:last] + mine[last:]
            files[0].write_bytes(spliced)
            run = load_run(tmp_path)
            assert run.problems or spliced == mine
            if run.first.rank == 0:
                assert losses(run).items() <= {step: 1 / step for step in range(1, 200)}.items()
                num_read += 1
    assert num_read > 5


def test_a_file_of_another_run_is_left_out(tmp_path: Path) -> None:
    for name, ranks in (("mine", (0,)), ("other", (0, 1))):
        for rank in ranks:
            RunLog(tmp_path / name / f"rank-{rank}.db", {"run": name, "rank": str(rank)}, pytest.fail).close()
    for kind in ("db", "id"):
        shutil.copy(tmp_path / "other" / f"rank-1.{kind}", tmp_path / "mine")
    run = load_run(tmp_path / "mine")
    assert [process.name for process in run] == ["rank-0"]
    assert "rank-1.db was written for the run other, the files beside it for mine" in run.problems[0]
    renamed = (tmp_path / "other").rename(tmp_path / "renamed")
    assert (load_run(renamed).problems, len(load_run(renamed).processes)) == ([], 2)


def test_commits_that_a_run_which_goes_on_has_lost_are_told(tmp_path: Path) -> None:
    """SQLite ignores what follows a damaged part of a `-wal` file."""
    log = RunLog(tmp_path / "run" / "rank-0.db", {}, pytest.fail)
    for step in range(1, 6):
        log.scalars(step, {"loss": 1 / step})
        assert log.flush()
    copy = Path(shutil.copytree(tmp_path / "run", tmp_path / "copy"))
    assert load_run(copy).problems == [] and load_run(copy).status == "running"
    file = copy / "rank-0.db-wal"
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] + bytes(len(data) // 2))
    assert "lacks its last" in load_run(copy).problems[0]
    log.close()


def test_a_rank_of_another_run_is_left_out_beside_a_damaged_one(tmp_path: Path) -> None:
    for name in ("mine", "other"):
        for rank in (0, 1):
            RunLog(tmp_path / name / f"rank-{rank}.db", {"run": name, "rank": str(rank)}, pytest.fail).close()
    for one in ("rank-0.id", "rank-1.id", "rank-1.db"):
        shutil.copy(tmp_path / "other" / one, tmp_path / "mine")
    with pytest.raises(RunLogError, match=r"rank-1.db was written for the run other"):
        load_run(tmp_path / "mine")


def test_what_sqlite_may_turn_into_another_type_has_the_same_checksum() -> None:
    assert checksum("a", 1, None) == checksum(b"a", 1.0, None) != checksum("a", 1, 0)
    assert checksum("ab", "c") != checksum("a", "bc")
