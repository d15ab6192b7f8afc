"""Runs the corpus under surefoot, torch's own warnings and the peers, and writes what each of them found.

    python -m benchmarks.bugs [--reported] [--only PART_OF_A_NAME] [--no-peers] [--check]

Writes results/bugs.json and, when the whole corpus was run, docs/bug-corpus.md; with `--reported` it runs the programs
rebuilt from public reports, and writes results/reported-bugs.json and docs/reported-bugs.md. `--check` fails on any
miss or alarm.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path

from benchmarks.bugs import page, reported_page
from benchmarks.bugs.process import ROOT, Job, Outcome, run, run_all
from benchmarks.bugs.program import Program, corpus, reported_corpus
from benchmarks.bugs.tools import peers, plain, surefoot, torchfix
from benchmarks.bugs.verdict import Verdict

RESULTS = ROOT / "results"
DOCS = ROOT / "docs"
BENCH_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
PACKAGES = {
    "gradsnitch": "gradsnitch",
    "torch_audit": "torch-audit",
    "guardtower": "guardtower",
    "torchtest2": "torchtest2",
}


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    version: str
    verdicts: tuple[Verdict, ...]


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    programs = [p for p in (reported_corpus() if options.reported else corpus()) if options.only in p.name]
    tools = [*_own(programs), *([] if options.no_peers else _peers([p for p in programs if not p.needs]))]
    RESULTS.mkdir(exist_ok=True)
    results = RESULTS / ("reported-bugs.json" if options.reported else "bugs.json")
    results.write_text(json.dumps([_as_json(tool) for tool in tools], indent=1))
    text = reported_page.page(tools) if options.reported else page.page(tools)
    print(text)
    if not options.only and (options.reported or not options.no_peers):
        (DOCS / ("reported-bugs.md" if options.reported else "bug-corpus.md")).write_text(text)
    return int(options.check and _is_short_of_perfect(tools[0]))


def _own(programs: Sequence[Program]) -> list[Tool]:
    """Surefoot and torch itself: plain programs here, those of the frameworks where these are installed."""
    here = [p for p in programs if not p.needs]
    elsewhere = [p for p in programs if p.needs and _version(p.needs)]
    watched: list[Verdict] = []
    warned: list[Verdict] = []
    for group, python in ((here, Path(sys.executable)), (elsewhere, BENCH_PYTHON)):
        if group:
            outcomes = dict(zip(group, run_all([Job(p.path) for p in group], python), strict=True))
            _refuse_broken(outcomes)
            watched += surefoot.judge(group, outcomes, python)
            warned += [plain.torch_warnings(p, outcomes[p]) for p in group]
    return [Tool("surefoot", "", tuple(watched)), Tool("torch's own warnings", "", tuple(warned))]


def _peers(programs: Sequence[Program]) -> list[Tool]:
    tools = []
    if version := _version("TorchFix"):
        tools.append(Tool("TorchFix", version, tuple(torchfix.judge(programs, BENCH_PYTHON))))
    for module, package in PACKAGES.items():
        version = _version(package)
        verdicts = peers.judge(module, programs, BENCH_PYTHON) if version else ()
        tools.append(Tool(package, version, tuple(verdicts)))
    return tools


def _version(package: str) -> str:
    """Its version in the peers' environment; empty if it is not there."""
    if not BENCH_PYTHON.exists():
        return ""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    found = run([BENCH_PYTHON, "-c", code])
    assert found.status == 0 or PackageNotFoundError.__name__ in found.stderr, found.stderr
    return found.stdout.strip()


def _refuse_broken(outcomes: dict[Program, Outcome]) -> None:
    """A program that does not run by itself measures nothing."""
    for program, outcome in outcomes.items():
        if outcome.status != 0 or "weights " not in outcome.stdout:
            raise SystemExit(f"{program.name} does not run to its end by itself: {outcome.last_words}")


def _is_short_of_perfect(tool: Tool) -> bool:
    return any(
        v.false_alarms or v.changed or (v.program.is_buggy and not (v.found and v.right_line)) for v in tool.verdicts
    )


def _as_json(tool: Tool) -> dict[str, object]:
    return {"tool": tool.name, "version": tool.version, "programs": [_verdict_as_json(v) for v in tool.verdicts]}


def _verdict_as_json(verdict: Verdict) -> dict[str, object]:
    return {
        "program": verdict.program.name,
        "buggy": verdict.program.is_buggy,
        "found": verdict.found,
        "right_line": verdict.right_line,
        "said": [[remark.label, remark.line] for remark in verdict.remarks],
        "false_alarms": [remark.label for remark in verdict.false_alarms],
        "messages": list(verdict.messages),
        "changed": verdict.changed,
        "trouble": verdict.trouble,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bugs", description=__doc__.splitlines()[0])
    parser.add_argument("--reported", action="store_true", help="the programs rebuilt from public reports")
    parser.add_argument("--only", default="", metavar="PART", help="programs whose name holds PART")
    parser.add_argument("--no-peers", action="store_true", help="surefoot and torch's warnings only")
    parser.add_argument(
        "--check", action="store_true", help="fail on a miss, a wrong line, an alarm or a changed result"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
