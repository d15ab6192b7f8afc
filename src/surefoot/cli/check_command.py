"""`surefoot check`: tests a training program before a long run."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from surefoot.check.checks import REPEATED_STEPS, Checks, Options
from surefoot.check.launcher import launching
from surefoot.check.text import row, summary
from surefoot.check.verdict import NAMES, Verdict, as_json, plain
from surefoot.cli.keeping import add_keeping_options, report_stored, result_run
from surefoot.cli.parsing import CommandParser, number, positive
from surefoot.cli.reporting import check_writable
from surefoot.cli.run_options import parse_program
from surefoot.cli.usage import INTERRUPTED_STATUS, UsageError
from surefoot.cli.voice import Voice
from surefoot.launch.program import Program, ProgramError
from surefoot.launch.workspace.workspace import WorkspaceError

_EPILOG = """\
examples:
  surefoot check train.py --lr 0.1                  all checks that can be made without further knowledge
  surefoot check -m package.train                   as python -m package.train
  surefoot check --json checks.json train.py        and write verdicts and evidence as JSON
  surefoot check --only needs-its-input,equal-seeds-agree train.py
  surefoot check --accumulate-option=--accumulate --batch-option=--batch-size train.py
  surefoot check --resume-with '--resume last.pt' train.py --save last.pt

The script runs several times for a few hundred steps at most, each time in a process of its own and in a copy of the
working directory: none of your files is changed. Options of surefoot go before the script or right after it; -- or
anything that is not one of them begins the script's own arguments. The verdicts are stored as a run, which `surefoot
dash` draws. Exit status: 0 if no check failed, 1 if one did or the script took no
step, 2 for wrong usage.
"""


def main(argv: Sequence[str]) -> int:
    options, program = _parse(argv)
    output = None if options.json is None else options.json.absolute()
    voice = Voice()
    kept = result_run(options, "check", program.name, voice)
    try:
        program.check()
    except ProgramError as error:
        raise UsageError(str(error)) from None
    check_writable(output)
    try:
        verdicts, has_trained = _check(program, options, voice)
    except WorkspaceError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        voice.say("interrupted; nothing of the script is left running.")
        return INTERRUPTED_STATUS
    if output is not None:
        try:
            output.write_text(as_json(program.name, verdicts), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{str(output)!r} can't be written: {error.strerror}.") from None
    status = int(not has_trained or any(verdict.verdict == "fail" for verdict in verdicts))
    if kept is not None:
        report_stored(kept.write(summary(verdicts), {"checks": [plain(one) for one in verdicts]}, status), voice)
    return status


def _check(program: Program, options: argparse.Namespace, voice: Voice) -> tuple[list[Verdict], bool]:
    """Verdicts, and whether the script took any step."""
    is_terminal = sys.stderr.isatty()
    wanted = Options(
        options.steps, options.accumulate_option, options.batch_option, tuple(shlex.split(options.resume_with or ""))
    )

    def begins(name: str) -> None:
        if is_terminal:
            voice.write(f"\r\x1b[K{name} …")

    verdicts = []
    with launching(options.timeout) as launcher:
        checks = Checks(program, launcher, wanted)
        for verdict in checks.run(options.only, begins):
            verdicts.append(verdict)
            voice.write(("\r\x1b[K" if is_terminal else "") + row(verdict, colour=is_terminal))
    if checks.trouble is not None:
        voice.say(checks.trouble)
    voice.write(summary(verdicts) + "\n")
    if checks.nothing_tested is not None:
        voice.say(f"nothing could be tested: {checks.nothing_tested}")
    return verdicts, checks.nothing_tested is None


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = next((name for name in names if name not in NAMES), None)
    if unknown is not None or not names:
        raise argparse.ArgumentTypeError(f"there is no check {(unknown or text)!r}. There are: {', '.join(NAMES)}")
    return [name for name in NAMES if name in names]


def _parse(argv: Sequence[str]) -> tuple[argparse.Namespace, Program]:
    parser = _parser()
    options, program = parse_program(parser, argv, takes_behind=True)
    if (options.accumulate_option is None) != (options.batch_option is None):
        parser.error("--accumulate-option and --batch-option go together")
    return options, program


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot check",
        usage="surefoot check [options] SCRIPT [options] [--] [ARGS ...]\n"
        "       surefoot check [options] -m MODULE [options] [--] [ARGS ...]",
        description="Test a PyTorch training script before a long run, by short experiments.",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add("--json", type=Path, metavar="FILE", help="write verdicts and evidence to FILE")
    add("--only", type=_names, default=list(NAMES), metavar="CHECKS", help="run only these checks, separated by commas")
    add("--steps", type=positive, default=REPEATED_STEPS, metavar="N",
        help=f"on one batch, to overfit it (default: {REPEATED_STEPS})")  # fmt: skip
    add("--timeout", type=number(0.001, wanted="a number of seconds above 0"), default=120.0, metavar="SECONDS",
        help="for each run of the script (default: 120)")  # fmt: skip
    add("--accumulate-option", metavar="OPTION", help="the script's option for the number of micro-batches")
    add("--batch-option", metavar="OPTION", help="the script's option for the batch size")
    add("--resume-with", metavar="ARGS", help="what to add to the script's arguments to resume it")
    add_keeping_options(parser)
    return parser
