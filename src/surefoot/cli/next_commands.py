"""Commands that a coding assistant may run next, by what they are for. RULE stands for the rule of a finding."""

import os
import shlex
from argparse import Namespace
from pathlib import Path

from surefoot.cli.parsing import DEFAULT_LOG
from surefoot.launch.program import Program
from surefoot.launch.ranks import Ranks
from surefoot.report import Report
from surefoot.runlog.secret import masked

_EXPLAIN = {"explain_rule": "surefoot explain RULE"}


def after_run(program: Program, options: Namespace, report: Report, ranks: Ranks | None) -> dict[str, str]:
    """What looks like a password among the script's arguments is masked.

    How torchrun was called is not known here, and `surefoot fix` needs a program that trains in its own process.
    """
    if ranks is not None:
        return _EXPLAIN
    limit = ["--max-steps", str(options.max_steps)] if options.max_steps else []
    script = ["-m", program.name] if program.is_module else [program.name]
    arguments = masked(program.args)
    commands = {"run_only_this_rule": _line("run --format agent --select RULE", *limit, *script, *arguments)}
    if hasattr(os, "fork") and not any(process.steps for process in report.processes):
        commands["show_proven_patches"] = _line("fix", *limit, *script, *(["--", *arguments] if arguments else []))
    return commands | _EXPLAIN


def after_replay(run: str, log: Path) -> dict[str, str]:
    place = [] if log == DEFAULT_LOG else ["--log", str(log)]
    return {"run_only_this_rule": _line("replay --format agent --select RULE", *place, run), **_EXPLAIN}


def _line(command: str, *words: str) -> str:
    return f"surefoot {command} {shlex.join(words)}"
