"""Log to file systems that are full, slow, or on another machine; kill some of the writers; read what is there.

python -m benchmarks.log.places          # needs Linux, root and sshfs; writes a part of docs/reliability.md
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import surefoot as sf
from benchmarks.log.page import RELIABILITY, put, table
from benchmarks.log.places import mounts

ROOT = Path(__file__).parents[3]
READERS = (["runs"], ["show", "latest"], ["doctor", "latest"], ["query", "select count(*) from scalars"])
FULL_STEPS, STEPS = 10_000, 2_500
PAUSE_SECONDS = 0.001
TEXT = """## Full disks, slow disks, other machines

Written by `make prove-places`. A writer logs 20 series at every step, about one step a millisecond, and closes its run
or is killed. It meets real file systems of Linux: a tmpfs of 3 MB, an ext4 of 4 MB in a file (its blocks are smaller
than a page), a tmpfs from which other files are removed before the run ends, a folder of this machine by way of sshfs,
and one by way of SFTP of which every message is 20 ms late and which nobody can know for a network file system.
*Wrong*: runs with a value that was not logged, or a step that is there twice. *Not told*: runs of which steps are
missing though the writer was not killed, while its console was silent. *Failed*: the writer ended with an error, or a
command that reads ({readers}) ended with a signal or a traceback.

{table}

A network file system has no [tail](decisions/0091-the-tail-from-the-first-row.md): a kill loses what waits for its
commit, of which there are two a second, fewer on a busy machine. On a slow disk the tail is late, too, so that more
than 50 ms may be lost.
"""


@dataclass(frozen=True)
class Found:
    num_steps: int
    num_found: int
    lost_seconds: float
    longest_seconds: float  # of a call that logs, but for the first
    is_wrong: bool
    is_silent: bool
    failure: str


def log_to(
    place: AbstractContextManager[Path], num_steps: int, *, kill_after: float = 0.0, fills: bool = False
) -> Found:
    with place as folder, tempfile.TemporaryDirectory() as made:
        filler, progress = folder / "filler", Path(made, "progress")
        if fills:
            filler.write_bytes(bytes(2 * 2**20))
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "benchmarks.log.places.writer", str(folder / "runs"), str(progress),
                   str(num_steps), str(PAUSE_SECONDS)]  # fmt: skip
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as writer:
            assert writer.stderr is not None
            while not (progress.exists() and progress.stat().st_size) and writer.poll() is None:
                time.sleep(0.001)
            if fills:
                while progress.stat().st_size < 16 * num_steps * 0.9 and writer.poll() is None:
                    time.sleep(0.01)
                filler.unlink()
            if kill_after:
                time.sleep(kill_after)
                writer.kill()
            said = writer.stderr.read()
        failure = "" if writer.returncode == (-9 if kill_after else 0) else f"writer: {writer.returncode}, {said}"
        failure = failure or _failure_of_readers(folder / "runs")
        told = np.fromfile(progress, "<f8").reshape(-1, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            column = sf.open(folder / "runs")["latest"].scalars("series-3")
    steps = column.steps.tolist()
    is_wrong = len(set(steps)) < len(steps) or bool((column.values != column.steps / 8 + 3).any())
    missing = sorted(set(range(len(told))) - set(steps))
    lost = float(told[-1, 0] - told[missing[0], 0]) if missing else 0.0
    is_silent = bool(missing) and not kill_after and "can't be written to the end" not in said
    return Found(len(told), len(steps), lost, float(told[1:, 1].max()), is_wrong, is_silent, failure)


def _failure_of_readers(log: Path) -> str:
    for words in READERS:
        command = [sys.executable, "-m", "surefoot", *words, *([] if words == ["runs"] else ["--log"]), str(log)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            return f"{words}: {done.returncode}, {done.stderr[-500:]}"
    return ""


def row(what: str, found: list[Found], *, is_full: bool = False) -> list[str]:
    for one in found:
        print(what, one, flush=True)
    seconds = "disk full" if is_full else f"{max(one.lost_seconds for one in found):.2f}"
    return [
        what, str(len(found)), f"{sum(one.num_steps for one in found):,}", f"{sum(one.num_found for one in found):,}",
        seconds, f"{1000 * max(one.longest_seconds for one in found):.0f}",
        *(str(sum(map(bool, some))) for some in (
            [one.is_wrong for one in found], [one.is_silent for one in found], [one.failure for one in found],
        )),
    ]  # fmt: skip


def main(num_kills: int) -> int:
    moments = [random.Random(seed).uniform(0.3, 3.0) for seed in range(num_kills)]
    rows = [
        row("tmpfs that fills", [log_to(mounts.memory("3m"), FULL_STEPS)], is_full=True),
        row("ext4 that fills", [log_to(mounts.image("4m"), FULL_STEPS)], is_full=True),
        row("tmpfs that gets room again", [log_to(mounts.memory("4m"), FULL_STEPS // 2, fills=True)]),
        row("sshfs, closed", [log_to(mounts.sshfs(), STEPS)]),
        row("sshfs, killed", [log_to(mounts.sshfs(), 10**9, kill_after=moment) for moment in moments]),
        row("slow, closed", [log_to(mounts.sshfs(0.02, "slow"), STEPS)]),
        row("slow, killed", [log_to(mounts.sshfs(0.02, "slow"), 10**9, kill_after=moment) for moment in moments]),
    ]
    head = ["file system", "runs", "steps handed over", "steps found", "most seconds lost", "longest call, ms", "wrong",
            "not told", "failed"]  # fmt: skip
    text = TEXT.format(table=table(head, rows), readers=", ".join(f"`{words[0]}`" for words in READERS))
    print(text)
    put("places", text, RELIABILITY)
    return int(any(int(count) for one in rows for count in one[-3:]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
