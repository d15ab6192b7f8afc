"""A fuzzer over the readers of our files, led by the coverage of our code.

python -m benchmarks.fuzz --seconds 1800      # all targets one after the other; needs atheris
python -m benchmarks.fuzz cell --seconds 60   # one of them
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.log.page import RELIABILITY, put

MOST_BYTES = 2000
TEXT = """## A fuzzer over the readers

`make fuzz` gives the readers of our files bytes that no writer of ours has written, led by the coverage of our code
(atheris): tails, databases, single cells with right checksums, `.id` files, edits, event files, tables, traces, and the
frames that SQL is answered in. The last run took {seconds} s on {targets} targets, with {inputs} inputs, on a machine
that did other work, too. It found {found}.

Earlier runs, of up to 1.9 million inputs, found seven places that raised something raw: three in rows and chunks of a
database whose checksums are right, two in records of a tail, two in frames. They are fixed, and their inputs are tests
(`tests/runlog/files/fuzzed`).

One kind of finding is not fixed: a frame of a few bytes can make Python's unpickler take gigabytes. Only the process
that runs a query writes frames, so that this needs somebody who has taken hold of that process.
"""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz")
    parser.add_argument("target", nargs="?")
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where findings and corpora go")
    options = parser.parse_args(argv)
    if options.target:
        return fuzz(options.target, options.seconds, options.out)
    from benchmarks.fuzz.targets import TARGETS

    share = str(options.seconds // len(TARGETS))
    command = [sys.executable, "-m", "benchmarks.fuzz", "--seconds", share, "--out", str(options.out)]
    failed, num_inputs, begun = [], 0, time.monotonic()
    for name in TARGETS:
        told = subprocess.run([*command, name], check=False, stderr=subprocess.PIPE, text=True)
        failed += [name] if told.returncode else []
        num_inputs += sum(map(int, re.findall(r"stat::number_of_executed_units: (\d+)", told.stderr)))
        print(told.stderr[-2000:], file=sys.stderr)
    found = [file.name for file in sorted(options.out.glob("found/*"))]
    put("fuzz", page(len(TARGETS), time.monotonic() - begun, num_inputs, found), RELIABILITY)
    print(f"{num_inputs} inputs: findings {found}, crashes {failed}")
    return int(bool(found or failed))


def page(num_targets: int, seconds: float, num_inputs: int, found: Sequence[str]) -> str:
    is_known = all(name.startswith(("frame-crash-oom", "frame_value-crash-oom")) for name in found)
    told = "nothing but what the last paragraph tells of" if found and is_known else f"{len(found)} places"
    return TEXT.format(
        targets=num_targets, seconds=f"{seconds:,.0f}", inputs=f"{num_inputs:,}", found=told if found else "nothing"
    )


def fuzz(name: str, seconds: int, out: Path) -> int:
    import atheris

    with atheris.instrument_imports(include=["surefoot.runlog", "surefoot.facts", "surefoot.dashboard.data"]):
        from benchmarks.fuzz import runs, targets
    warnings.simplefilter("ignore")
    corpus, found = out / "corpus" / name, out / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="surefoot-fuzz-"))
    runs.make_runs(folder)
    for number, seed in enumerate(targets.seeds(name, folder)):
        (corpus / f"seed-{number}").write_bytes(seed)
    target = _noting(name, targets.TARGETS[name], folder, found)
    settings = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", "-rss_limit_mb=4000", "-timeout=60"]
    atheris.Setup([name, str(corpus), *settings, f"-artifact_prefix={found}/{name}-crash-", "-print_final_stats=1",
                   "-verbosity=0"], target)  # fmt: skip
    try:
        atheris.Fuzz()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _noting(name: str, target: Callable[[bytes, Path], None], folder: Path, found: Path) -> Callable[[bytes], None]:
    """Keeps one input for each place where something was raised, and goes on."""
    known: set[str] = set()
    begun, num_calls = time.monotonic(), 0

    def call(data: bytes) -> None:
        nonlocal num_calls
        num_calls += 1
        if num_calls % 5000 == 0:
            print(f"{name}: {num_calls} inputs in {time.monotonic() - begun:.0f} s", flush=True)
        try:
            target(data, folder)
        except Exception as error:
            frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
            digest = hashlib.sha256(repr((type(error), frames[-4:])).encode()).hexdigest()[:12]
            if digest not in known:
                known.add(digest)
                (found / f"{name}-{digest}").write_bytes(data)
                (found / f"{name}-{digest}.txt").write_text(traceback.format_exc(), encoding="utf-8")
                print(f"{name}: {type(error).__name__}: {error}", flush=True)

    return call


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)
