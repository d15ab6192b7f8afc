"""One of the processes that take turns: one model trained in one of the ways.

python -m benchmarks.loop.worker surefoot m1 4 8
"""

import logging
import sys
import warnings

import torch

from benchmarks.loop.ways import WAYS
from benchmarks.models import MODELS
from benchmarks.turns import WARM, in_turns


def main(way: str, model: str, accumulate: int, block: int) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    problem = MODELS[model]()
    batches = in_turns((problem.x, problem.y), block * accumulate, WARM * accumulate)
    WAYS[way][1](problem, batches, accumulate)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
