"""What watching costs: a training step under the sanitizer against the same step raw, in CPU time.

One process trains in blocks of steps, watched and unwatched in turns, so that whatever else the machine does meets
both. All watched blocks count, also those with steps for which the sanitizer wakes up to look closely.

python -m benchmarks.overhead                 # the table; docs/overhead.md and results/overhead.json
python -m benchmarks.overhead --only m1,m2    # some of it; nothing is written
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.overhead.worker import WARM
from benchmarks.turns import ENVIRONMENT, ROOT

RESULTS = Path("results/overhead.json")
PAGE = Path("docs/overhead.md")
PLAN = {  # steps in a block, blocks of each kind in a run, runs
    "m1": (32, 300, 8), "m2": (4, 120, 6), "m3": (2, 60, 6),
    "deep-4": (32, 200, 4), "deep-50": (8, 150, 4), "deep-100": (4, 150, 4), "deep-200": (4, 100, 4),
}  # fmt: skip
HEAD = """# What watching costs

Written by `make bench-overhead`. A whole training step (forward, backward, clip to norm 1, AdamW, `zero_grad`) under
the sanitizer, with all rules but those that ask for signals (what these cost: [signals](signals.md)), against the
same step raw. One process trains the same model in blocks of steps, watched
and with every patch and hook taken out in turns; CPU time of all blocks from the {warm}th step on, the steps that the
sanitizer wakes up for among them. Median over several processes, and the least and the largest ratio among them.
torch {torch}, one thread.

| step | raw, µs | watching adds, µs | ratio | least to largest | first {warm} steps, in all |
|---|---|---|---|---|---|"""
FOOT = """
m1: MLP 10-32-1, batch 32. m2: MLP of 1 M parameters, batch 64. m3: 4-layer transformer, width 128, 8 x 64 tokens.
deep-n: a chain of 4 x 4 layers with n parameters in all, where nearly everything is overhead: it shows how the cost
grows with their number.

The first {warm} steps are all watched closely; what that costs, once a run, stands in the last column.

A plain loop whose windows repeat is slept through (decision 0002). Loops with a GradScaler or several optimizers are
watched call by call and cost more: that is felt only where a step takes less than a few milliseconds.
"""


@dataclass(frozen=True)
class Run:
    """One process: CPU seconds."""

    raw: float  # per step
    watched: float
    first: float  # what watching added to the first steps in all

    @property
    def ratio(self) -> float:
        return self.watched / self.raw


def run(model: str, block: int, num_blocks: int) -> Run:
    """Let a process train in turns."""
    command = [sys.executable, "-m", "benchmarks.overhead.worker", model, str(block), str(num_blocks)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ENVIRONMENT})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-3000:]}")
    return Run(*map(float, done.stdout.split()))


def measure(model: str) -> dict[str, object]:
    block, num_blocks, num_runs = PLAN[model]
    runs = [run(model, block, num_blocks) for _ in range(num_runs)]
    ratios = [run.ratio for run in runs]
    row: dict[str, object] = {
        "model": model,
        "raw_us": round(1e6 * statistics.median(run.raw for run in runs), 1),
        "extra_us": round(1e6 * statistics.median(run.watched - run.raw for run in runs), 1),
        "ratio": round(statistics.median(ratios), 3),
        "range": [round(min(ratios), 3), round(max(ratios), 3)],
        "first_ms": round(1e3 * statistics.median(run.first for run in runs)),
    }
    print("{model:>10}  raw {raw_us:>9} µs  + {extra_us:>7} µs  ratio {ratio}  {range}  first steps + {first_ms} ms"
          .format(**row), flush=True)  # fmt: skip
    return row


def page(rows: list[dict[str, object]]) -> str:
    """The table as a page of the documentation."""
    lines = [HEAD.format(warm=WARM, torch=torch.__version__)]
    for row in rows:
        low, high = row["range"]  # type: ignore[misc]
        lines.append(
            f"| {row['model']} | {row['raw_us']} | {row['extra_us']} | {row['ratio']} | {low} to {high} "
            f"| + {row['first_ms']} ms |"
        )
    lines.append(FOOT.format(warm=WARM))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="comma-separated names: " + ", ".join(PLAN))
    wanted = [name for name in parser.parse_args().only.split(",") if name]
    unknown = [name for name in wanted if name not in PLAN]
    if unknown:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(PLAN)}")
    rows = [measure(model) for model in wanted or PLAN]
    if not wanted:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps({"torch": torch.__version__, "rows": rows}, indent=2))
        PAGE.write_text(page(rows))


if __name__ == "__main__":
    main()
