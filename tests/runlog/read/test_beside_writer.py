"""A reader beside the real writer, which seals, merges and removes files all the time."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from surefoot.runlog.read import RunLogError, open_runs, read_process
from surefoot.runlog.read.follow import START

WRITER = """
import sys, time
from pathlib import Path
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write import seal, thread
seal.SEAL_BYTES, seal.CLOSE_BYTES, seal.MERGED, seal.GRACE_SECONDS, thread.COMMIT_SECONDS = 20_000, 1, 2, 0.0, 0.01
log = RunLog(Path(sys.argv[1]), {"script": "train.py"}, print)
for step in range(int(sys.argv[2])):
    log.scalars(step, {"loss": step, "acc": -step})
    if step % 20 == 0:
        time.sleep(0.001)
log.close()
"""


def write(file: Path, num_steps: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(num_steps)], stdout=subprocess.PIPE)


@pytest.mark.parametrize("kill", [False, True])
def test_every_step_is_seen_once(kill: bool, tmp_path: Path) -> None:
    file = tmp_path / "runs" / "a" / "rank-0.db"
    num_steps, cursor, followed, num_reads = 8_000, START, [], 0
    with write(file, num_steps) as writer:
        while writer.poll() is None:
            try:
                process = read_process(file)
            except RunLogError:  # it has just been made
                time.sleep(0.02)
                continue
            news = process.after(cursor)
            cursor = news.cursor
            followed += [column.steps for series, column in news.columns.items() if series.name == "loss"]
            for column in process.columns().values():
                assert np.array_equal(column.steps, np.arange(len(column))), "none is missing, none is there twice"
                assert np.array_equal(np.abs(column.values), column.steps)
            asked = open_runs(tmp_path / "runs").sql(
                "SELECT count(*), coalesce(max(step) + 1, 0) FROM scalars GROUP BY name"
            )
            assert all(count == last for count, last in asked)
            assert process.problems == asked.problems == []
            asked.close()
            num_reads += 1
            if kill and len(followed) > 5:
                writer.kill()
        assert writer.stdout is not None and writer.stdout.read() == b""
    news = open_runs(tmp_path / "runs")["a"].first.after(cursor)  # brings back what was not committed at the kill
    followed += [column.steps for series, column in news.columns.items() if series.name == "loss"]
    steps = np.concatenate(followed)
    assert np.array_equal(steps, np.arange(len(steps)))
    assert kill or len(steps) == num_steps
    assert num_reads > 1
    answer = open_runs(tmp_path / "runs").sql("SELECT count(*), count(DISTINCT step) FROM scalars WHERE name = 'acc'")
    assert answer.rows() == [(len(steps), len(steps))]
    answer.close()
