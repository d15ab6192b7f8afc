"""`surefoot fix`: patches for what the sanitizer finds, each proven by a run."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.choice import add_choice_options, check_names, choose_rules
from surefoot.cli.keeping import add_keeping_options, report_stored, result_run
from surefoot.cli.parsing import CommandParser, positive
from surefoot.cli.reporting import check_writable
from surefoot.cli.run_options import parse_program
from surefoot.cli.usage import INTERRUPTED_STATUS, UsageError
from surefoot.cli.voice import Voice
from surefoot.fix.fixer import Fixer
from surefoot.fix.keep import keep
from surefoot.fix.patch import Fixed
from surefoot.fix.project import Project
from surefoot.fix.trial import Trial, Trials
from surefoot.fix.trial_server import TrialError, TrialServer
from surefoot.fix.write import ChangedError, apply, write
from surefoot.launch.program import Program, ProgramError
from surefoot.launch.ranks import Ranks
from surefoot.launch.workspace.workspace import WorkspaceError
from surefoot.report.place import relative

FORMATS = ("text", "json", "sarif", "github")

_EPILOG = """\
examples:
  surefoot fix train.py                        show a proven patch for each finding
  surefoot fix train.py --apply                and write it into the script
  surefoot fix train.py --output fixed.py      write a patched copy instead
  surefoot fix train.py --json fixes.json -- --epochs 2
  surefoot fix --max-steps 200 -m package.train
  surefoot fix train.py --format sarif > fixes.sarif

The program runs under the sanitizer; then, for each finding, with one patch after the other until one is proven: the
finding is gone and none came. Every run starts from the same seeds, in a copy of the working folder: none of your
files is changed before --apply. A note is patched where a patch is known.
Options of surefoot go before the script or right after it; -- or anything that is not one of them begins the script's
own arguments. Exit status: 0 if nothing is left to mend; 1 if a finding has no proven patch, or the script fails; 2 for
wrong usage.
"""


def main(argv: Sequence[str]) -> int:
    options, program = parse_program(_parser(), argv, takes_behind=True)
    voice = Voice()
    kept = result_run(options, "fix", program.name, voice)
    try:
        program.check()
        if not hasattr(os, "fork"):
            raise UsageError(
                "fix forks the program's runs from one process, which this system does not support. Use WSL."
            )
        if Ranks.from_environment() is not None:
            raise UsageError("fix starts the program itself, several times. Run it without torchrun.")
        for file in (options.json, options.output):
            check_writable(file)
        fixed = _fix(options, program, voice)
        folder = None if kept is None else keep(fixed, kept)  # with lines of source as they are before --apply
        status = _deliver(fixed, options, program, voice)
        if folder is not None and options.format == "text":
            report_stored(folder, voice)
        return status
    except (ProgramError, WorkspaceError, TrialError) as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        voice.say("interrupted; no file was changed.")
        return INTERRUPTED_STATUS


def _fix(options: argparse.Namespace, program: Program, voice: Voice) -> Fixed:
    rules = list(choose_rules(options, program.folder))
    check_names(options.alternative)
    with TrialServer() as server:
        trials = Trials(program, rules, server, max_steps=options.max_steps)
        project = Project(program, trials.workspace.holds)
        before = trials.run({})
        _check_first_run(before)
        voice.say(_found(before))
        return Fixer(trials, project, voice.say, options.alternative).fix(before)


def _check_first_run(before: Trial) -> None:
    if before.steps:
        return
    if before.status:
        raise TrialError(f"the program fails before its first step: {before.last_words}")
    raise TrialError("the program ended without a step of an optimizer, so there is nothing to prove a patch by.")


def _found(before: Trial) -> str:
    num = sum(finding.severity != "note" for finding in before.findings)
    return f"{num} finding{'' if num == 1 else 's'} in {before.steps} steps; trying patches."


def _deliver(fixed: Fixed, options: argparse.Namespace, program: Program, voice: Voice) -> int:
    """Writes the files first, so that the message about them is true."""
    written = _write_files(fixed, options, program)
    if options.json is not None:
        write(options.json, json.dumps(fixed.as_dict(), indent=2, allow_nan=False) + "\n")
    sys.stdout.write(_render(fixed, options.format, program))
    if written:
        voice.say(written)
    elif fixed.patches and options.format == "text":
        voice.say("--apply writes the patches, --output FILE a patched copy.")
    return int(bool(fixed.unpatched))


def _write_files(fixed: Fixed, options: argparse.Namespace, program: Program) -> str:
    """What was written, as a sentence."""
    originals = {patch.file: patch.original for patch in fixed.patches}
    names = ", ".join(relative(str(file)) or str(file) for file in fixed.texts)
    message = []
    try:
        if options.output is not None:
            message.append(_write_output(fixed, options.output, program))
        if options.apply and fixed.texts:
            apply(fixed.texts, originals)
            message.append(f"wrote {names}.")
    except ChangedError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"the patched program can't be written: {error}.") from None
    return " ".join(message)


def _write_output(fixed: Fixed, output: Path, program: Program) -> str:
    script = None if program.is_module else Path(program.name).resolve()
    others = [str(file) for file in fixed.texts if file != script]
    if others:
        raise UsageError(f"--output takes the script, and the patches change {', '.join(others)}. Use --apply.")
    assert script is not None or not fixed.texts
    if script is None:
        raise UsageError("--output takes a script, not a module. Use --apply.")
    write(output, fixed.texts.get(script) or script.read_bytes().decode())
    return f"wrote {output}."


def _render(fixed: Fixed, form: str, program: Program) -> str:
    if form == "json":
        return json.dumps(fixed.as_dict(), indent=2, allow_nan=False) + "\n"
    if form == "text":
        from surefoot.fix.text import as_text

        return as_text(fixed, sys.stdout)
    from surefoot.fix.exchange import as_github_suggestions, as_sarif_with_fixes

    return as_github_suggestions(fixed) if form == "github" else as_sarif_with_fixes(fixed, program.name)


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot fix",
        usage="surefoot fix [options] SCRIPT [options] [--] [ARGS ...]\n"
        "       surefoot fix [options] -m MODULE [options] [--] [ARGS ...]",
        description="Patch the silent bugs of a PyTorch training script. Each patch is proven by running the script.",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add("--apply", action="store_true", help="write the patches into the files")
    add("--output", type=Path, metavar="FILE", help="write a patched copy of the script")
    add("--json", type=Path, metavar="FILE", help="write the patches as JSON")
    add("--format", choices=FORMATS, default="text", help="of the output on stdout (default: text)")
    add("--max-steps", type=positive, metavar="N", help="end every run after N optimizer steps")
    add("--alternative", action="append", default=[], metavar="RULE",
        help="where two patches differ in meaning, use the second")  # fmt: skip
    add_choice_options(parser)
    add_keeping_options(parser)
    return parser
