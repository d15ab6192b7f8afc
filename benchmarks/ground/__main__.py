"""`python -m benchmarks.ground CHECKOUT [NAME ...]`: run what another tool was evaluated on, and print a table.

CHECKOUT is a clone of OrderLab/TrainCheck-Evaluation-Workloads or Hong-Shuo/PYSIASSIST. The environment needs what
`requirements.txt` lists.
"""

import argparse
from pathlib import Path

from benchmarks.ground import pysiassist
from benchmarks.ground.traincheck import NOT_RUN, WORKLOADS
from benchmarks.ground.workload import Outcome, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ground", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("names", nargs="*", help="TrainCheck's workloads to run, by the beginning of their names")
    chosen = parser.parse_args()
    checkout = chosen.checkout.resolve()
    if (checkout / pysiassist.SAMPLES).exists():
        _print_snippets(checkout)
    else:
        _print_workloads(checkout, tuple(chosen.names))
    return 0


def _print_workloads(checkout: Path, names: tuple[str, ...]) -> None:
    print("| workload | kind | updates | surefoot |\n|---|---|---|---|", flush=True)
    for workload in WORKLOADS:
        if not names or workload.name.startswith(names):
            outcome = run(workload, checkout)
            print(f"| {workload.name} | {workload.kind} | {outcome.steps} | {_said(outcome)} |", flush=True)
    for name, why in () if names else NOT_RUN.items():
        print(f"| {name} | bug | | not run: {why} |")


def _said(outcome: Outcome) -> str:
    if outcome.status is None:
        return "took too long"
    if outcome.status and not outcome.findings:
        return f"ended with status {outcome.status}: {' '.join(outcome.tail.split())[-300:]}"
    return "; ".join(outcome.findings) or "silent"


def _print_snippets(checkout: Path) -> None:
    found = list(pysiassist.snippets(checkout))
    judged = list(zip(found, pysiassist.judge(found), strict=True))
    print("| pattern | kind | samples | PySIAssist right | run here | with a finding | rules |")
    print("|---|---|---|---|---|---|---|")
    for pattern, title in pysiassist.PATTERNS.items():
        for is_buggy, kind in ((True, "buggy"), (False, "correct")):
            ours = [(one, said) for one, said in judged if (one.pattern, one.is_buggy) == (pattern, is_buggy)]
            if ours:
                right = sum(one.is_judged_right for one, _ in ours)
                is_run = [said for _, said in ours if said.is_run]
                rules = [rule for said in is_run for rule in said.findings]
                counts = ", ".join(f"{rule} {rules.count(rule)}" for rule in sorted(set(rules)))
                accused = sum(bool(said.findings) for said in is_run)
                print(f"| {title} | {kind} | {len(ours)} | {right} | {len(is_run)} | {accused} | {counts} |")


if __name__ == "__main__":
    raise SystemExit(main())
