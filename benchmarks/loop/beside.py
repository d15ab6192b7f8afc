"""The loop and a raw loop in one process, in turns: the same caches, the same allocator, the same neighbours.

Two equal models train, a block of updates each. While the raw one does, every patch and hook is taken out. Prints CPU
seconds of the whole process, the log's thread among them: of a raw update, and of one in the loop.

python -m benchmarks.loop.beside surefoot m1 1 32 200
"""

import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import repeat

import torch
from torch import Tensor

from benchmarks.loop.ways import WAYS, train_with
from benchmarks.models import MODELS, Problem
from benchmarks.turns import WARM
from benchmarks.unwatched import unwatched
from surefoot.sanitizer.sanitizer import Sanitizer

Pair = tuple[Tensor, Tensor]


def main(way: str, model: str, accumulate: int, block: int, num_blocks: int) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    problems = []
    for _ in range(2):
        torch.manual_seed(0)
        problems.append(MODELS[model]())
    train_raw = _in_blocks(problems[0], accumulate)
    train_raw(WARM)
    WAYS[way][1](problems[1], _batches(problems[1], train_raw, accumulate, block, num_blocks), accumulate)


def _batches(
    problem: Problem, train_raw: Callable[[int], None], accumulate: int, block: int, num_blocks: int
) -> Iterator[Pair]:
    """For the loop; between its blocks the raw ones run."""
    batch = (problem.x, problem.y)
    yield from repeat(batch, WARM * accumulate)
    spent = {"raw": 0.0, "loop": 0.0}
    for turn in range(num_blocks):
        for which in ("raw", "loop") if turn % 2 else ("loop", "raw"):  # neither always goes first
            with unwatched(Sanitizer.running) if which == "raw" and Sanitizer.running else nullcontext():
                started = time.process_time()
                if which == "raw":
                    train_raw(block)
                else:
                    yield from repeat(batch, block * accumulate)
                spent[which] += time.process_time() - started
    print(*(seconds / (block * num_blocks) for seconds in spent.values()), flush=True)
    os._exit(0)  # the loop would go on to its end of an epoch


def _in_blocks(problem: Problem, accumulate: int) -> Callable[[int], None]:
    """The raw loop, written as its user writes it, stopped between updates."""
    optimizer, batch = problem.optimizer(), (problem.x, problem.y)

    def train(num_updates: int) -> None:
        train_with(optimizer, problem, repeat(batch, num_updates * accumulate), accumulate)

    return train


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
