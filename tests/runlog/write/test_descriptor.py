"""A program closes descriptors it did not open: the log goes on, and no file of the program is written to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.runlog.write.descriptor import OwnFile
from tests.runlog.write.stored import ask, meta, scalars

CLOSES = """
import os, sys, time
from pathlib import Path
from surefoot.runlog.write.log import RunLog
log = RunLog(Path(FILE), {"run": "r"}, lambda text: print(text, flush=True))
for step in range(100):
    log.scalars(step, {"loss": step / 8})
log.flush()
os.closerange(3, 256)
mine = [open(Path(FILE).with_name(f"mine-{i}"), "w+b", buffering=0) for i in range(NUM_FILES)]
for file in mine:
    file.write(b"MINE" * 2048)
for step in range(100, 200):
    log.scalars(step, {"loss": step / 8, "new": 1.0} if step % 2 else {"loss": step / 8})
    time.sleep(0.005)  # longer than rows wait for others
log.close()
for file in mine:
    file.seek(0)
    assert file.read() == b"MINE" * 2048, file
    file.write(b"and still open")
print("ended")
"""


@pytest.mark.parametrize("num_files", [0, 1, 12])
def test_the_log_survives_closed_descriptors(num_files: int, tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    code = CLOSES.replace("NUM_FILES", str(num_files)).replace("FILE", repr(str(file)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("ended\n", "", 0)
    assert scalars(file)["loss"] == [(step, step / 8) for step in range(200)]
    assert scalars(file)["new"] == [(step, 1.0) for step in range(101, 200, 2)]
    assert (meta(file)["run"], meta(file)["writer"]) == ("r", "")
    assert ask(file, "PRAGMA integrity_check") == [("ok",)]
    left = {path.name for path in tmp_path.iterdir()} - {f"mine-{i}" for i in range(num_files)}
    assert left == {"rank-0.db", "rank-0.id"}


def test_a_descriptor_that_is_another_file_now_is_neither_written_nor_closed(tmp_path: Path) -> None:
    own = OwnFile(tmp_path / "own", os.O_CREAT | os.O_RDWR)
    own.write_at(b"one", 0)
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    os.dup2(other, own._number)
    taken = own._number
    own.write_at(b"two", 3)
    assert (tmp_path / "own").read_bytes() == b"onetwo"
    assert (tmp_path / "other").read_bytes() == b""
    os.dup2(other, own._number)
    own.close()
    for number in {taken, own._number, other}:
        os.close(number)  # raises if it was closed
