"""surefoot, run on the programs as its users run it: `surefoot run --report … PROGRAM`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bugs.process import Job, Outcome, run_all
from benchmarks.bugs.program import Program
from benchmarks.bugs.verdict import Remark, Verdict


def judge(programs: Sequence[Program], plain: Mapping[Program, Outcome], python: Path) -> list[Verdict]:
    """What surefoot says, and whether each program did exactly what it does by itself."""
    with TemporaryDirectory() as folder:
        reports = [Path(folder) / f"{number}.json" for number in range(len(programs))]
        jobs = [_job(program, report) for program, report in zip(programs, reports, strict=True)]
        outcomes = run_all(jobs, python)
        return [
            _verdict(program, plain[program], watched, report)
            for program, watched, report in zip(programs, outcomes, reports, strict=True)
        ]


def _job(program: Program, report: Path) -> Job:
    options = ("--report", report, "--no-log", "--fail-on", "never", *program.options)
    return Job("surefoot", ("run", *options, program.path))


def _verdict(program: Program, plain: Outcome, watched: Outcome, report: Path) -> Verdict:
    if not report.exists():
        return Verdict(program, (), trouble=watched.last_words, changed=True)
    findings = [f for f in json.loads(report.read_text())["findings"] if f["severity"] != "note"]
    remarks = tuple(
        Remark(frozenset({f["rule"]}), f["rule"], f["line"] if _is_in(f["file"], program) else None) for f in findings
    )
    changed = (watched.status, watched.stdout) != (plain.status, plain.stdout)
    return Verdict(program, remarks, changed=changed, messages=tuple(f["message"] for f in findings))


def _is_in(file: str | None, program: Program) -> bool:
    return file is not None and Path(file).name == program.path.name
