"""One process that trains in blocks of steps, measured and raw in turns.

Prints seconds of CPU: of a raw and of a measured step; and how many of the measured steps were sampled and recorded.

python -m benchmarks.signals.worker m2 default 4 120
"""

import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import torch

from benchmarks.models import MAX_NORM
from benchmarks.signals.models import MODELS
from benchmarks.unwatched import unwatched
from surefoot.facts import Record, SignalFacts
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.write.run import Run
from surefoot.sanitizer import LazyLog, Sanitizer
from surefoot.signals.sampling import Schedule

WARM = 64  # steps before the first block, half of which are measured each


def main(name: str, way: str, block: int, num_blocks: int, clips: bool) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if way == "every":  # norms and ratios of every step; rules and histograms as often as they are by default
        Schedule.is_sampled = lambda self, update: True  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", name, lambda text: None)
        print(*_train(name, block, num_blocks, clips, run))
        run.close()


def _train(name: str, block: int, num_blocks: int, clips: bool, run: Run) -> tuple[float, ...]:
    problem = MODELS[name]()
    model, loss_fn, optimizer, x, y = problem.model, problem.loss_fn, problem.optimizer(), problem.x, problem.y
    records: list[Record] = []
    rows = 0
    sanitizer = Sanitizer(catalogue().values(), log=LazyLog(run), on_failure=_fail, on_record=records.append)
    assert sanitizer.signals is not None
    writer = sanitizer.signals.writer
    on_row = writer.on_row
    assert on_row is not None

    def count(number: int, step: int, values: Mapping[str, float]) -> None:
        nonlocal rows
        rows += 1
        on_row(number, step, values)

    writer.on_row = count
    sanitizer.start()

    def train(num_steps: int) -> float:
        started = time.process_time()
        for _ in range(num_steps):
            loss = loss_fn(model(x), y)
            loss.backward()
            if clips:
                torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()
        return time.process_time() - started

    train(WARM if name != "big" else WARM // 2 + 4)
    rows, num_records = 0, len(records)
    spent = {"raw": 0.0, "measured": 0.0}
    for turn in range(num_blocks):
        for way in ("raw", "measured") if turn % 2 else ("measured", "raw"):  # neither always goes first
            with unwatched(sanitizer) if way == "raw" else nullcontext():
                spent[way] += train(block)
    taken = block * num_blocks
    told = sum(isinstance(record, SignalFacts) for record in records[num_records:])
    sanitizer.finish()
    return spent["raw"] / taken, spent["measured"] / taken, rows / taken, told / taken


def _fail(probe: str, error: Exception) -> None:
    raise SystemExit(f"{probe}: {error!r}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), clips=sys.argv[5:] != ["unclipped"])
