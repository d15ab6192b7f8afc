"""What a training loop costs: a whole step in each of the loops people use, against the same step in a raw loop.

    python -m benchmarks.loop                                # docs/loop/cost.md
    python -m benchmarks.loop --part beside                  # one of its two tables; the other stays as it was
    python -m benchmarks.loop --only m1 --ways surefoot      # some of it; nothing is written

To be run by the python of .venv-bench, which has the peers.
"""

import argparse
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata

from benchmarks.loop.ways import WAYS
from benchmarks.turns import ENVIRONMENT, ROOT, WARM, slices, take_turns

PAGE = ROOT / "docs" / "loop" / "cost.md"
PLAN = {  # model, accumulate: updates in a block, blocks
    ("m1", 1): (64, 60), ("m1", 4): (24, 60), ("m2", 1): (6, 60), ("m2", 4): (2, 60),
    ("m3", 1): (2, 60), ("m3", 4): (1, 40),
}  # fmt: skip
STRETCHES = 5
BESIDE = {  # the same for the loop and a raw loop in one process
    ("m1", 1): (32, 200), ("m1", 4): (12, 150), ("m2", 1): (4, 200), ("m2", 4): (2, 160), ("m3", 1): (2, 50),
    ("m3", 4): (1, 30),
}  # fmt: skip
BESIDE_WAYS = ("surefoot", "surefoot_fused", "surefoot_history")
BESIDE_RUNS = 5
HEAD = """# What the loop costs

Written by `make bench-loop`. A whole update (forward, backward, clip to norm 1, AdamW, `zero_grad`) against the same in
a raw loop: CPU time, one thread, from update {warm} on; every number is a ratio to the raw loop. torch {versions}.
"""
BESIDE_HEAD = """
## Beside a raw loop

The loop and a raw loop train equal models in one process, in turns of some milliseconds; while the raw one does, every
patch and hook is taken out. CPU time of the whole process, the run log's thread among it. Median of {runs} processes,
and the least and the largest of them.

| loop | {columns} |
|---|{line}|"""
PEERS_HEAD = """
## Beside other loops

All loops take turns on one core in blocks of about a tenth of a second, each in a process of its own, so that all meet
whatever else the machine does; each turn begins with cold caches. With the least and the largest of {stretches}
stretches of the run.

| loop | {columns} |
|---|{line}|"""
FOOT = """
The first row is microseconds per update. m1: MLP 10-32-1, batch 32. m2: MLP of 1 M parameters, batch 64. m3: 4-layer
transformer, width 128, 8 x 64 tokens. "x 4": four micro-batches per update.

*Everything on*: sanitizer with all rules, history, the run log with every update, the check before each of them,
weights read off the loss, signals within their budget of 2 % (without the second a run that they have on credit,
which would last for most of this benchmark). The peers run as lean as they can be set: no logger, no progress bar, no
checkpoints. *Sanitizer and history*: the same without the run log and without the signals that go into it.

The batches are a list. A function or an iterable of your own as loader adds about 20 µs a batch: what it draws from the
random number generators is noted, so that resuming is exact.
"""


@dataclass(frozen=True, slots=True)
class Cost:
    way: str
    model: str
    accumulate: int
    microseconds: float  # per update
    ratio: float
    low: float
    high: float


def measure(model: str, accumulate: int, ways: list[str]) -> list[Cost]:
    """All ways take turns; the first of them is the raw loop."""
    block, num_blocks = PLAN[model, accumulate]
    workers = [["benchmarks.loop.worker", way, model, str(accumulate), str(block)] for way in ways]
    spent = take_turns(workers, num_blocks)
    base = slices(spent[0], STRETCHES)
    costs = []
    for way, own in zip(ways, spent, strict=True):
        ratios = [a / b for a, b in zip(slices(own, STRETCHES), base, strict=True)]
        each = 1e6 * sum(own) / (block * num_blocks)
        costs.append(Cost(way, model, accumulate, each, statistics.median(ratios), min(ratios), max(ratios)))
        print(
            f"{model} x {accumulate}  {way:20} {each:10.1f} µs  {costs[-1].ratio:.3f}  "
            f"{costs[-1].low:.3f} to {costs[-1].high:.3f}", flush=True,
        )  # fmt: skip
    return costs


def measure_beside(model: str, accumulate: int) -> list[Cost]:
    """Each way of our loop and a raw loop, in processes of their own that train both."""
    costs = []
    for way in BESIDE_WAYS:
        command = [
            sys.executable,
            "-m",
            "benchmarks.loop.beside",
            way,
            model,
            *map(str, (accumulate, *BESIDE[model, accumulate])),
        ]
        runs = []
        for _ in range(BESIDE_RUNS):
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ENVIRONMENT})
            if not done.stdout:
                raise SystemExit(f"{' '.join(command)}: {done.stderr[-3000:]}")
            runs.append([float(seconds) for seconds in done.stdout.split()])
        ratios = [own / raw for raw, own in runs]
        each = 1e6 * statistics.median(own for _, own in runs)
        costs.append(Cost(way, model, accumulate, each, statistics.median(ratios), min(ratios), max(ratios)))
        print(
            f"{model} x {accumulate}  {way:20} {each:10.1f} µs  {costs[-1].ratio:.3f}  {costs[-1].low:.3f} to "
            f"{costs[-1].high:.3f}  beside", flush=True,
        )  # fmt: skip
    return costs


def page(costs: dict[str, list[Cost]], old: str) -> str:
    """The page with the tables that were measured; the others as they are in the old page."""
    packages = ("torch", "pytorch-ignite", "lightning", "accelerate", "transformers", "keras")
    versions = ", ".join([metadata.version("torch"), *(f"{name} {metadata.version(name)}" for name in packages[1:])])
    kept = {part.partition("\n")[0]: part for part in old.partition("\nThe first row is")[0].split("\n## ")}
    tables = []
    for head, part in ((BESIDE_HEAD, "beside"), (PEERS_HEAD, "peers")):
        title = head.strip().removeprefix("## ").partition("\n")[0]
        tables.append(_table(head, costs[part]) if part in costs else f"\n## {kept[title]}".rstrip())
    return "\n".join([HEAD.format(warm=WARM, versions=versions).rstrip(), *tables, FOOT])


def _table(head: str, costs: list[Cost]) -> str:
    columns = [model if accumulate == 1 else f"{model} x {accumulate}" for model, accumulate in PLAN]
    lines = [
        head.format(
            stretches=STRETCHES, runs=BESIDE_RUNS, columns=" | ".join(columns), line="|".join(["---"] * len(columns))
        )
    ]
    table = {(cost.way, cost.model, cost.accumulate): cost for cost in costs}
    for way, (name, _) in WAYS.items():
        if any(cost.way == way for cost in costs):
            cells = [_cell(table[way, model, accumulate]) for model, accumulate in PLAN]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(cost: Cost) -> str:
    return f"{cost.microseconds:.0f} µs" if cost.way == "raw" else f"{cost.ratio:.2f} ({cost.low:.2f}-{cost.high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted({model for model, _ in PLAN}), help="one model")
    parser.add_argument("--ways", default="", help="comma-separated: " + ", ".join(WAYS))
    parser.add_argument("--part", choices=("beside", "peers"), help="one of the two tables")
    options = parser.parse_args()
    named = [way for way in options.ways.split(",") if way]
    unknown = [way for way in named if way not in WAYS]
    if unknown:
        parser.error(f"no {', '.join(unknown)}; there are {', '.join(WAYS)}")
    ways = ["raw", *(way for way in WAYS if way != "raw" and (not named or way in named))]
    plan = [key for key in PLAN if options.only in (None, key[0])]
    is_whole = options.only is None and not named
    costs: dict[str, list[Cost]] = {}
    if options.part != "peers" and not named:
        costs["beside"] = [cost for key in plan for cost in measure_beside(*key)]
    if options.part != "beside":
        costs["peers"] = [cost for key in plan for cost in measure(*key, ways)]
    if is_whole:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(costs, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
