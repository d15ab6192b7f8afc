"""A writer under stress: many threads, many series, many readers, a clock that jumps, files that vanish."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from surefoot.runlog.read import Runs, connection
from surefoot.runlog.read.run import load_run
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.write import log, seal, write_queue
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.run import Run
from tests.runlog.write.stored import ask, scalars


def in_threads(num: int, work: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(num) as pool:
        list(pool.map(work, range(num)))  # raises what they raised


@pytest.fixture
def impatient_threads() -> object:
    """They take turns a hundred times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_log_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queues are looked through while others add to them: rows for their size, orders for one to drop."""
    monkeypatch.setattr(write_queue, "MOST_ORDERS", 20)
    monkeypatch.setattr(write_queue, "PATIENCE_SECONDS", 0.0)
    file = tmp_path / "rank-0.db"
    written = RunLog(file, {}, lambda text: None)

    def work(thread: int) -> None:
        for step in range(400):
            written.scalars(step, {f"loss-{thread}": float(step)})
            written.hist(step, "weights", [0.0, 1.0], [step])
            if step % 100 == 0:
                written.event("resume", str(thread), step)

    in_threads(6, work)
    written.close()
    assert scalars(file) == {f"loss-{i}": [(step, float(step)) for step in range(400)] for i in range(6)}
    assert ask(file, "SELECT count(*) FROM events WHERE kind = 'resume'") == [(24,)]
    assert load_run(tmp_path).problems == []


def test_ten_thousand_series(tmp_path: Path) -> None:
    names = [f"layer{i}/norm" for i in range(10_000)]
    written = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    for step in (1, 2):
        written.scalars(step, dict.fromkeys(names, step / 8))
    written.close()
    run = load_run(tmp_path)
    found = {series.name: column.values.tolist() for series, column in run.first.columns().items()}
    assert found == {name: [0.125, 0.25] for name in names}
    assert run.problems == []


def test_twenty_readers_beside_a_writer_that_seals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "SEAL_BYTES", 4096)
    written = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    written.scalars(0, {"loss": 0.0})
    assert written.flush()
    is_over = threading.Event()

    def read(number: int) -> None:
        if number == 0:
            for step in range(1, 1500):
                written.scalars(step, {"loss": step / 8})
                if step % 300 == 0:
                    assert written.flush()
            is_over.set()
            return
        num_seen = 1
        while not is_over.wait(0.05):
            run = load_run(tmp_path)
            (column,) = run.first.columns().values()
            assert run.problems == []
            assert column.values.tolist() == [step / 8 for step in range(len(column))]
            assert len(column) >= num_seen
            num_seen = len(column)

    in_threads(21, read)
    written.close()
    assert len(load_run(tmp_path).scalars("loss")) == 1500


def test_a_clock_that_jumps_back_loses_and_invents_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Run(tmp_path / "run", "x.py", pytest.fail) as run:
        run.scalars(1, {"loss": 1.0})
        run.flush()
        before = log.now()
        monkeypatch.setattr(log, "now", lambda: before - 86_400.0)
        run.meta("ended", "2001-01-01T00:00:00+0000")
        run.scalars(2, {"loss": 0.5})
        run.flush()
        stored = load_run(run.folder)
        assert stored.scalars("loss").steps.tolist() == [1, 2]
        assert stored.scalars("loss").times[1] == pytest.approx(before - 86_400.0, abs=0.01)
        assert summarize([stored])[0].seconds is None, "a run does not take less than no time"


def test_a_folder_that_is_removed_and_made_again_is_left_to_others(tmp_path: Path) -> None:
    said: list[str] = []
    first = RunLog(tmp_path / "run" / "rank-0.db", {}, said.append)
    first.scalars(1, {"loss": 1.0})
    assert first.flush()
    shutil.rmtree(tmp_path / "run")
    second = RunLog(tmp_path / "run" / "rank-0.db", {}, pytest.fail)
    second.scalars(7, {"loss": 7.0})
    assert second.flush()
    first.scalars(2, {"loss": 2.0})
    assert not first.flush()
    first.close()
    second.close()
    assert len(said) == 1
    assert "is gone" in said[0]
    assert scalars(tmp_path / "run" / "rank-0.db") == {"loss": [(7, 7.0)]}
    assert load_run(tmp_path / "run").problems == []


def test_two_processes_log_to_one_run(tmp_path: Path) -> None:
    """The first to come writes; the other is told, and what it logs is nowhere."""
    file = tmp_path / "rank-0.db"
    first = RunLog(file, {}, pytest.fail)
    first.scalars(1, {"loss": 0.5})
    assert first.flush()
    code = (
        "import sys; from pathlib import Path; from surefoot.runlog.write.log import RunLog\n"
        "log = RunLog(Path(sys.argv[1]), {}, print); log.scalars(1, {'loss': 99.0}); print(log.flush()); log.close()"
    )
    told = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1] == "False" and "a file has one writer" in told
    first.scalars(2, {"loss": 0.25})
    first.close()
    assert scalars(file) == {"loss": [(1, 0.5), (2, 0.25)]}
    assert load_run(tmp_path).problems == []


def test_each_file_of_500_runs_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Run(tmp_path / "one", "train.py", pytest.fail) as run:
        run.scalars(7, {"loss": 0.5})
    for number in range(500):
        shutil.copytree(tmp_path / "one", tmp_path / "runs" / f"20260115-{number:06d}-train")
    opened: list[str] = []
    connect = connection.sqlite3.connect

    def counted(name: str, **settings: Any) -> Any:
        opened.append(name)
        return connect(name, **settings)

    monkeypatch.setattr(connection.sqlite3, "connect", counted)
    lines = summarize(Runs(tmp_path / "runs").load())
    assert [(line.status, line.updates, line.last_loss) for line in lines] == [("finished", 7, 0.5)] * 500
    assert len([name for name in opened if "rank-0.db" in name]) == 500


def test_an_order_is_dropped_while_all_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes goes on without the lock in the end, so that what was found may be gone, or stand elsewhere."""
    monkeypatch.setattr(write_queue, "MOST_ORDERS", 2)
    monkeypatch.setattr(write_queue, "PATIENCE_SECONDS", 0.0)
    queue = write_queue.WriteQueue(lambda: None)
    kept = [write_queue.Order(lambda: ("", ()), number=number) for number in range(3)]
    dropped = write_queue.Order(lambda: ("", ()), may_drop=True)
    for order in (kept[0], dropped):
        queue.add_order(order)
    listed = write_queue._listed

    def listed_and_taken(items: Any) -> Any:
        found = listed(items)
        items.popleft()
        return found

    monkeypatch.setattr(write_queue, "_listed", listed_and_taken)
    queue.add_order(kept[1])  # the one to drop stands at another place now
    assert (list(queue.orders), queue.num_dropped) == ([kept[1]], 1)
    queue.orders.extend([dropped])
    queue.orders.rotate()
    queue.add_order(kept[2])  # and now it is gone
    assert (list(queue.orders), queue.num_dropped) == ([kept[1], kept[2]], 1)
