"""Run a small real program with each callback, and write the table of docs/integrations.md.

python -m benchmarks.integrations [--only PART_OF_A_NAME]

Each program forgets to clear gradients. It is run twice: at first findings are only told, then the first error is to
end it. A finding must name the line that the program marks as its own, and the run must have what the framework logged.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import surefoot as sf

HERE = Path(__file__).parent / "programs"
ROOT = HERE.parents[2]
PAGE = ROOT / "docs" / "integrations.md"
BEGIN, END = "<!-- begin of the table that make bench-integrations writes -->\n", "<!-- end of it -->\n"
PACKAGES = {"ignite": "pytorch-ignite"}
LOGGED = {
    "lightning": "train_loss_epoch", "transformers": "transformers/loss", "trl": "transformers/loss",
    "accelerate": "train_loss", "ignite": "val/accuracy", "keras": "keras/loss", "skorch": "valid_acc",
    "fastai": "valid_loss",
}  # fmt: skip
CALLED = {
    "lightning": "lightning.SurefootCallback", "transformers": "transformers.SurefootCallback",
    "trl": "transformers.SurefootCallback", "accelerate": "accelerate.SurefootTracker",
    "ignite": "ignite.SurefootHandler", "keras": "keras.SurefootCallback", "skorch": "skorch.SurefootCallback",
    "fastai": "fastai.SurefootCallback",
}  # fmt: skip


@dataclass
class Outcome:
    name: str
    steps: int
    is_named: bool  # the finding is at the user's function
    is_warned: bool  # and was told while the program ran
    is_logged: bool
    ended_at: int | None  # the step before which the second run ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of a name")
    only = parser.parse_args().only
    outcomes = []
    for name in CALLED:
        if only in name:
            outcomes.append(run(name))
            print(outcomes[-1], flush=True)
    searched = [name for name in ("optuna", "ray") if only in name]
    are_ended = [ends_trials(name) for name in searched]
    print(dict(zip(searched, are_ended, strict=True)))
    if not only:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + table(outcomes) + END + rest.partition(END)[2])
    sys.exit(
        not all(are_ended) or not all(o.is_named and o.is_warned and o.is_logged and o.ended_at == 2 for o in outcomes)
    )


def run(name: str) -> Outcome:
    file = HERE / f"with_{name}.py"
    line = next(i for i, text in enumerate(file.read_text().split("\n"), 1) if "# FUNCTION" in text)
    with tempfile.TemporaryDirectory() as folder:
        told = start(file, folder)
        if told.returncode:
            raise RuntimeError(told.stderr)
        logged = sf.open(Path(folder) / "runs")["latest"]
        found = [(f["rule"], f["line"]) for f in logged.first.findings()]
        ended = start(file, folder, "error")
        stopped = sf.open(Path(folder) / "runs")["latest"].first.findings()
        return Outcome(
            name,
            int(logged.scalars("loss").steps[-1]),
            ("stale-gradients", line) in found,
            bool(re.search(rf"{file.name}:{line}: .*stale-gradients|stale-gradients.*{file.name}:{line}", told.stderr)),
            any(series.name == LOGGED[name] for series in logged.first.series()),
            stopped[0]["step"] if ended.returncode and "FindingError" in ended.stderr else None,
        )


def ends_trials(name: str) -> bool:
    """Some trials come to their end, and those with findings are ended."""
    with tempfile.TemporaryDirectory() as folder:
        if start(HERE / f"with_{name}.py", folder).returncode:
            return False
        runs = list(sf.open(Path(folder) / "runs"))
        ended = [run for run in runs if run.meta.get("reason") != "finished"]
        return 0 < len(ended) < len(runs) and all(run.labels.group and run.first.findings() for run in ended)


def start(file: Path, folder: str, *args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, str(file), *args], cwd=folder, env=env, capture_output=True, text=True)


def table(outcomes: list[Outcome]) -> str:
    rows = [
        f"| {PACKAGES.get(o.name, o.name)} {version(PACKAGES.get(o.name, o.name))} | `{CALLED[o.name]}` | {o.steps} "
        f"| {_yes(o.is_named)} | {_yes(o.is_warned)} | `{LOGGED[o.name]}`{'' if o.is_logged else ' is missing'} "
        f"| {'no' if o.ended_at is None else f'before update {o.ended_at}'} |\n"
        for o in outcomes
    ]
    names = "version", "in `surefoot.integrations`", "updates", "finding at your function", "warned", "logged"
    head = f"| {' | '.join(names)} | `stop_on` ended it |\n"
    return head + "|---|---|---|---|---|---|---|\n" + "".join(rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    main()
