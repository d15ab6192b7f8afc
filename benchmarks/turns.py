"""Processes that take turns on one core, in blocks of some milliseconds, and tell what their blocks cost in CPU time.

Whatever else the machine does meets all of them alike, so that the ratios of their costs can be trusted where the costs
themselves can't.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, repeat
from pathlib import Path
from typing import IO, TypeVar

ROOT = Path(__file__).parents[1]
WARM = 48  # updates before the first block: the sanitizer records them all, and its first sleep comes after them
# Large freed blocks stay with the process. Otherwise the cost of m2 depends on whether a process has happened to free
# a large block before, which moves a threshold of the allocator: it differed by 30 % between two runs of the same code.
STEADY_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TRIM_THRESHOLD_": "17179869184"}
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **STEADY_ALLOCATOR}

Batch = TypeVar("Batch")


def in_turns(batch: Batch, block: int, warm: int = WARM) -> Iterator[Batch]:
    """In a worker: the batch, `block` times for every turn. Ends the process when there are no more turns."""
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what training loops print is not ours
    yield from repeat(batch, warm)
    print("ready", file=told, flush=True)
    for _ in sys.stdin:
        started = time.process_time()
        yield from repeat(batch, block)
        print(time.process_time() - started, file=told, flush=True)
    os._exit(0)  # a training loop would go on to its next epoch


def take_turns(workers: Sequence[Sequence[str]], num_blocks: int) -> list[list[float]]:
    """Start modules with arguments, let them take turns; for each the CPU seconds of its blocks."""
    with ExitStack() as stack:
        started = [_start(worker, stack) for worker in workers]
        for process, errors in started:
            _ask(process, errors, None)
        _pin([process.pid for process, _ in started])
        spent: list[list[float]] = [[] for _ in workers]
        for turn in range(num_blocks):
            order = range(len(workers)) if turn % 2 else reversed(range(len(workers)))  # nobody always goes first
            for which in order:
                spent[which].append(float(_ask(*started[which], "go")))
        return spent


def slices(costs: Sequence[float], num: int) -> list[float]:
    """The cost of each of so many stretches of a run."""
    size = len(costs) // num
    whole = iter(costs)
    return [sum(islice(whole, size)) for _ in range(num)]


def _start(worker: Sequence[str], stack: ExitStack) -> tuple["subprocess.Popen[str]", IO[str]]:
    errors = stack.enter_context(tempfile.TemporaryFile("w+"))  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-m", *worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
        cwd=ROOT, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    stack.callback(process.communicate)
    return process, errors


def _pin(pids: Sequence[int]) -> None:
    if hasattr(os, "sched_setaffinity"):
        core = max(os.sched_getaffinity(0))
        for pid in pids:
            os.sched_setaffinity(pid, {core})


def _ask(process: "subprocess.Popen[str]", errors: IO[str], word: str | None) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    if word is not None:
        print(word, file=process.stdin, flush=True)
    answer = process.stdout.readline()
    if not answer:
        errors.seek(0)
        raise SystemExit(f"a worker ended early: {errors.read()[-3000:]}")
    return answer
