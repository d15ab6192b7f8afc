"""The peers in the tests of `make prove-log`, at smaller counts.

python -m benchmarks.log.peers --kills 20 --damages 100      # writes a part of docs/reliability.md
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.log.damage.damages import damage
from benchmarks.log.page import RELIABILITY, put, table
from benchmarks.log.peers.readers import Found, Rows, read
from benchmarks.log.peers.writers import NAMES, WRITERS, values_of
from benchmarks.log.trackers import PACKAGES

ROOT = Path(__file__).parents[3]
NUM_STEPS = 200
START_SECONDS = 120.0
TEXT = """## Other trackers in the same tests

Written by `make prove-peers`, at smaller counts: {kills} kills and {damages} damages each. Each logs four series, as
its documentation shows: surefoot of this version, {versions}.
SQLite alone is Python's `sqlite3` with a write-ahead log and one transaction a step.

**Kills.** SIGKILL of a writer that logs a step every 5 ms, half of the moments in the first second after the first
step, the others within 3 s. *Lost* is what was handed over and not found afterwards.

{kill_table}

**Damages.** The same random damages as above, of the files of a run of {steps} steps that was closed, read in Python by
what the tool offers. *Wrong number*: a value that was never logged, or one for a step that was never logged. *Less in
silence*: values are missing, nothing is raised, and nothing is written to the console. *Exception*: one of Python or of
the tool, or the process dies or hangs for 30 s. *Less, reported*: values are missing and something is written.
wandb has no reader of its own for offline runs, so that there is nothing to damage and read. Several damages at once
may remove all files of a run: nobody can say anything then.

{damage_table}
"""


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}


def kill(peer: str, seed: int) -> tuple[int, int, float, Found]:
    """Steps handed over, steps lost, seconds lost, and what was found."""
    delay = random.Random(seed).uniform(0.0, 1.0) if seed % 2 else random.Random(seed).uniform(1.0, 3.0)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        folder, progress = Path(made, "log"), Path(made, "progress")
        folder.mkdir()
        command = [sys.executable, "-m", "benchmarks.log.peers.writers", peer, str(folder), str(progress)]
        with subprocess.Popen(command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as writer:  # fmt: skip
            deadline = time.monotonic() + START_SECONDS
            while not (progress.exists() and progress.stat().st_size):
                if writer.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{peer} does not start")
                time.sleep(0.001)
            time.sleep(delay)
            writer.kill()
        time.sleep(2.0)  # processes that it has started may still be writing
        told = np.fromfile(progress, "<f8")
        found = read(peer, folder)
    steps = {step for _, step in found.rows}
    lost = [step for step in range(len(told)) if step not in steps]
    return len(told), len(lost), float(told[-1] - told[lost[0]]) if lost else 0.0, found


def is_true(rows: Rows) -> bool:
    return all(step >= 0 and values_of(step).get(name) == value for (name, step), value in rows.items())


def kill_row(peer: str, num: int) -> list[str]:
    found = [kill(peer, seed) for seed in range(num)]
    print(peer, [(steps, lost, round(seconds, 3)) for steps, lost, seconds, _ in found], flush=True)
    return [
        peer, f"{sum(one[0] for one in found):,}", f"{sum(one[1] for one in found):,}",
        f"{max(one[2] for one in found):.2f}", str(sum(one[1] == one[0] for one in found)),
        str(sum(not is_true(one[3].rows) for one in found)), str(sum(bool(one[3].error) for one in found)),
    ]  # fmt: skip


def damage_row(peer: str, num: int) -> list[str]:
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        source, copy = Path(made, "source"), Path(made, "copy")
        source.mkdir()
        command = [sys.executable, "-m", "benchmarks.log.peers.writers", peer, str(source), str(NUM_STEPS)]
        subprocess.run(command, env=_environment(), check=True, capture_output=True)
        for seed in range(-1, num):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
            if seed < 0:
                whole = read(peer, copy)
                expected = {(name, step): values_of(step)[name] for step in range(NUM_STEPS) for name in NAMES}
                assert whole.rows == expected, (peer, whole)
                continue
            damage(copy, random.Random(seed))
            counted[_outcome(read(peer, copy), whole)] += 1
    print(peer, dict(counted), flush=True)
    columns = ("harmless", "less, reported", "less in silence", "wrong number", "exception")
    return [peer, str(num), *(str(counted[column]) for column in columns)]


def _outcome(found: Found, whole: Found) -> str:
    if found.error:
        return "exception"
    if any(whole.rows.get(key) != value for key, value in found.rows.items()):
        return "wrong number"
    if found.rows == whole.rows:
        return "harmless"
    return "less, reported" if found.said.strip() and found.said != whole.said else "less in silence"


def kept(folder: Path | None, make: Callable[[str, int], list[str]], peer: str, num: int) -> list[str]:
    """A row that was made before, or a new one."""
    file = folder / f"{make.__name__}-{peer}-{num}.json" if folder is not None else None
    if file is not None and file.exists():
        row: list[str] = json.loads(file.read_text(encoding="utf-8"))
        return row
    row = make(peer, num)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(row), encoding="utf-8")
    return row


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log.peers")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--damages", type=int, default=100)
    parser.add_argument("--only", choices=WRITERS, action="append", help="these; the page is left as it is")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="keep rows there, and go on with those it has")
    options = parser.parse_args(argv)
    peers = options.only or list(WRITERS)
    kills = [kept(options.kept, kill_row, peer, options.kills) for peer in peers]
    damages = [kept(options.kept, damage_row, peer, options.damages) for peer in peers if peer != "wandb offline"]
    head = ["tool", "steps handed over", "steps lost", "most seconds lost", "nothing found", "wrong", "exception"]
    text = TEXT.format(
        kills=options.kills, damages=options.damages, steps=NUM_STEPS, kill_table=table(head, kills),
        versions=", ".join(f"{peer} {version(PACKAGES[peer])}" for peer in WRITERS if peer in PACKAGES),
        damage_table=table(
            ["tool", "damages", "harmless", "less, reported", "less in silence", "wrong number", "exception"], damages
        ),
    )  # fmt: skip
    print(text)
    if not options.only:
        put("others", text, RELIABILITY)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
