"""The small packages of the field, driven from their own environment."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bugs.process import Job, Outcome, run_all
from benchmarks.bugs.program import Program
from benchmarks.bugs.verdict import Remark, Verdict

DRIVER = Path(__file__).with_name("peer_driver.py")
_ABOVE_A_NOTE = {"fatal", "error", "warning", "warn"}

_NOT_HELD = {
    "parameters-not-in-optimizer", "optimizer-holds-stale-parameters", "backward-misses-optimizer",
    "parameter-replaced", "unregistered-module",
}  # fmt: skip
_NO_GRADIENT = {"graph-cut", "checkpoint-drops-gradients", "loss-detached-from-model", "backward-misses-optimizer"}
_ZERO_GRADIENT = {"fp16-without-scaler", "single-class-cross-entropy", "no-valid-targets", "graph-cut"}
_NOT_FINITE = {"non-finite-loss", "non-finite-step"}
_TINY_UPDATE = {"zero-learning-rate", "lost-half-precision-updates", "fp16-without-scaler"}

# What each package's checks amount to among our rules, read generously: a check that names the cause or its direct
# effect counts. Symptoms that many bugs share ("the loss is flat") do not.
MEANING: dict[str, dict[str, set[str]]] = {
    "gradsnitch": {
        "GS001": _NOT_FINITE,
        "GS002": _NOT_FINITE,
        "GS007": _ZERO_GRADIENT,
        "GS008": _TINY_UPDATE,
        "GS010": {"epoch-schedule-stepped-per-batch", "schedule-counts-micro-batches"},
    },
    "torch_audit": {
        "TA100": _NOT_FINITE,
        "TA103": _ZERO_GRADIENT,
        "TA104": {*_NO_GRADIENT, "gradients-cleared-before-step", "step-without-backward", *_NOT_HELD},
        "TA304": {"batchnorm-tiny-batch"},
        "TA305": _NOT_FINITE,
        "TA500": {"forward-called-directly", "unregistered-module"},
    },
    "guardtower": {
        "LOSS-001": {"loss-detached-from-model"},
        "INPUT-001": _NO_GRADIENT,
        "GRAD-001": _NO_GRADIENT,
        "GRAD-003": _ZERO_GRADIENT,
        "GRAD-004": _ZERO_GRADIENT,
        "OPT-001": _NOT_HELD,
        "NAN-001": _NOT_FINITE,
        "NAN-002": _NOT_FINITE,
        "loss": _NOT_FINITE,
        "train_mode": {"training-in-eval-mode"},
        "frozen": {"nearly-all-frozen"},
    },
    "torchtest2": {
        "output_finite": _NOT_FINITE,
        "loss": _NOT_FINITE,
        "eval_determinism": {"dropout-active-in-eval"},
        "initial_loss": {"initial-loss-off", "softmax-before-cross-entropy", "single-class-cross-entropy"},
        "optimizer_coverage": _NOT_HELD,
        "gradient_flow": _NO_GRADIENT,
        "gradient_magnitude": _ZERO_GRADIENT,
        "params_change": _TINY_UPDATE | _NOT_HELD | _NO_GRADIENT,
        "frozen_params": {"frozen-parameter-moves", "misspelled-requires-grad"},
        "batch_independence": {"softmax-over-batch"},
    },
}


# Hints about speed and style: true or not, they speak of no bug and are not counted.
_HINTS = {"TA200", "TA201", "TA202", "TA203", "TA400", "TA401", "TA402", "TA403", "TA404"}


def judge(peer: str, programs: Sequence[Program], python: Path) -> list[Verdict]:
    with TemporaryDirectory() as folder:
        results = [Path(folder) / f"{number}.json" for number in range(len(programs))]
        jobs = [Job(DRIVER, (peer, p.path, result)) for p, result in zip(programs, results, strict=True)]
        outcomes = run_all(jobs, python)
        return [_verdict(peer, *each) for each in zip(programs, outcomes, results, strict=True)]


def _verdict(peer: str, program: Program, outcome: Outcome, result: Path) -> Verdict:
    if not result.exists():
        return Verdict(program, (), trouble=outcome.last_words)
    said = json.loads(result.read_text())
    remarks = {
        label: Remark(frozenset(MEANING[peer].get(label, ())), label)
        for label, severity, _ in said["remarks"]
        if severity in _ABOVE_A_NOTE and label not in _HINTS
    }
    return Verdict(program, tuple(remarks.values()), trouble=said["trouble"])
