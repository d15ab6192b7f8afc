"""What signals cost: a training step measured within the default budget, and at every step, against the same step raw.

One process trains in blocks of steps, measured and raw in turns; the run log is written.
Beside it what others take for a look at gradients (`benchmarks.signals.peers`), by the python of .venv-bench-log.

python -m benchmarks.signals                             # the table: docs/signals-cost.md
python -m benchmarks.signals --only m1,m2 --no-peers     # some of its rows

Each row is kept in results/signals.json as soon as it is measured; the page is written of all of them, once there are
all. So the table can be measured in parts.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass

import torch

from benchmarks.turns import ENVIRONMENT, ROOT

RESULTS = ROOT / "results" / "signals.json"
PAGE = ROOT / "docs" / "signals-cost.md"
PLAN = {
    "m1": (32, 200, 5),
    "m2": (8, 125, 9),
    "m3": (2, 50, 5),
    "cnn": (1, 40, 3),
    "big": (1, 24, 5),
}  # block, blocks, runs
WAYS = {"default": "**surefoot**, 2 % budget", "every": "**surefoot**, norms and ratios at every step"}
PEERS = {
    "wandb-default": "`wandb.watch`, as it is: gradients, every 1000 steps",
    "tensorboard-100": "TensorBoard, histograms every 100 steps",
    "wandb-every": "`wandb.watch`, weights and gradients at every step",
    "tensorboard-every": "TensorBoard, histograms at every step",
    "lightning-every": "Lightning, `grad_norm` at every step",
}
RARE, RARE_STEPS, OFTEN = "tensorboard-100", 100, "tensorboard-every"  # the same, every so many steps and at each
PEERS_PYTHON = ROOT / ".venv-bench-log" / "bin" / "python"
HEAD = """# What signals cost

Written by `make bench-signals`. A whole training step (forward, backward, clip to norm 1, AdamW, `zero_grad`) under the
sanitizer with all rules, signals and the run log, against the same step raw; CPU time of the whole process, the log's
thread among it. One process trains the same model in blocks of steps, measured and with every patch and hook taken out
in turns, from the 64th step on; the second a run that signals have on credit is left out.
Median over the processes, and the least and the largest ratio among them. torch {torch}, one thread.

The peers look at the gradients of one of two equal models that take turns in the same process; CPU time of the whole
process, but not of helper processes (wandb has one). What Lightning's norms cost is measured against its own Trainer
without them. They log the loss, too, as surefoot does. Where a hundred steps take minutes, histograms every 100 steps
are reckoned as the hundredth part of those at every step (*).

| step | how | raw, ms | ratio | least to largest | processes | steps sampled | steps recorded |
|---|---|---|---|---|---|---|---|"""
FOOT = """
m1: MLP 10-32-1, batch 32. m2: MLP of 1 M parameters, batch 64. m3: 4-layer transformer, width 128, 8 x 64 tokens. cnn:
like ResNet-18, 8 images of 32 x 32. big: transformer of 25 M parameters, 4 x 64 tokens.

*Sampled* steps have norms and update ratios of every parameter; *recorded* ones have activations, too, and are judged
by the rules. After their first second, records are farther apart than most of these stretches last, and where the table
has 0.0 % their cost is not in the ratio: the budget gives them 0.08 % of the time. What watching costs without signals
is in [overhead.md](overhead.md) and is a part of these ratios.
"""


@dataclass(frozen=True)
class Run:
    """One process: seconds of CPU a step, and shares of steps."""

    raw: float
    measured: float
    sampled: float | None = None  # nobody counts those of peers
    recorded: float | None = None

    @property
    def ratio(self) -> float:
        return self.measured / self.raw


def run(model: str, way: str, block: int, num_blocks: int) -> Run:
    """Let a process train in turns."""
    python, worker = (PEERS_PYTHON, "peers") if way in PEERS else (sys.executable, "worker")
    command = [str(python), "-m", f"benchmarks.signals.{worker}", model, way, str(block), str(num_blocks)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ENVIRONMENT})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-3000:]}")
    return Run(*map(float, done.stdout.split()))


def measure(model: str, way: str, num_runs: int | None) -> dict[str, object]:
    block, num_blocks, usual = PLAN[model]
    runs = [run(model, way, block, num_blocks) for _ in range(num_runs or usual)]
    ratios = [one.ratio for one in runs]
    shares = {name: [getattr(one, name) for one in runs] for name in ("sampled", "recorded")}
    row: dict[str, object] = {
        "model": model,
        "way": way,
        "raw_ms": round(1e3 * statistics.median(one.raw for one in runs), 2),
        "ratio": round(statistics.median(ratios), 3),
        "runs": len(runs),
        "range": [round(min(ratios), 3), round(max(ratios), 3)],
        **{name: None if None in found else round(statistics.median(found), 3) for name, found in shares.items()},
    }
    print(
        "{model:>6} {way:>17}  raw {raw_ms:>9} ms  ratio {ratio}  {range}  sampled {sampled}".format(**row), flush=True
    )
    return row


def page(rows: list[dict[str, object]]) -> str:
    """The table as a page of the documentation."""
    lines = [HEAD.format(torch=torch.__version__)]
    for row in rows:
        low, high = row["range"]  # type: ignore[misc]
        name = (WAYS | PEERS)[str(row["way"])] + " (*)" * _is_reckoned(str(row["model"]), str(row["way"]))
        shares = " | ".join("" if row[kind] is None else f"{row[kind]:.1%}" for kind in ("sampled", "recorded"))
        cells = (row["model"], name, row["raw_ms"], row["ratio"], f"{low} to {high}", row["runs"], shares)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines.append(FOOT)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="comma-separated names: " + ", ".join(PLAN))
    parser.add_argument("--runs", type=int, help="processes for each row")
    parser.add_argument("--no-peers", action="store_true", help="surefoot only")
    parser.add_argument("--no-surefoot", action="store_true", help="peers only")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    unknown = [name for name in wanted if name not in PLAN]
    if unknown:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(PLAN)}")
    if not (options.no_peers or PEERS_PYTHON.exists()):
        parser.error(f"the peers are to be in {PEERS_PYTHON.parents[1]}: make bench-signals puts them there.")
    ways = [*(() if options.no_surefoot else WAYS), *(() if options.no_peers else PEERS)]
    for model in wanted or PLAN:
        for way in ways:
            if not _is_reckoned(model, way):
                _keep(measure(model, way, options.runs))


def _is_reckoned(model: str, way: str) -> bool:
    """Whether too few steps are taken to see what is done so rarely."""
    block, num_blocks, _ = PLAN[model]
    return way == RARE and block * num_blocks < RARE_STEPS


def _reckoned(often: dict[str, object]) -> dict[str, object]:
    """What is done every hundred steps costs a hundredth of what is done at each."""
    ratios = [often["ratio"], *often["range"]]  # type: ignore[misc]
    ratio, *ends = (round(1 + (float(one) - 1) / RARE_STEPS, 3) for one in ratios)  # type: ignore[arg-type]
    return {**often, "way": RARE, "ratio": ratio, "range": ends}


def _keep(row: dict[str, object]) -> None:
    """Put it in the place of an older one of its kind."""
    if _is_reckoned(str(row["model"]), RARE) and row["way"] == OFTEN:
        _keep(_reckoned(row))
    kept = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    by_kind = {(str(old["model"]), str(old["way"])): old for old in [*kept, row]}
    whole = [(model, way) for model in PLAN for way in WAYS | PEERS]
    rows = [by_kind[kind] for kind in whole if kind in by_kind]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"torch": torch.__version__, "rows": rows}, indent=2))
    if len(rows) == len(whole):
        PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
