"""Tell a report: on stderr in the format asked for, and into a file."""

import argparse
import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.report import FORMATS, Report, render

LEVELS = ("error", "warning", "never")
TOO_SHORT = 120  # steps: `convergence` says nothing of fewer losses, so nothing is read


def add_telling_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--report", type=Path, metavar="FILE", help="write what was found as JSON")
    add("--format", choices=FORMATS, default="text", help="of what is said on stderr (default: text)")
    add("--fail-on", choices=LEVELS, default="error", help="exit status 1 from this severity on (default: error)")
    add("--notes", action="store_true", help="show notes too")


def check_writable(path: Path | None) -> None:
    """Say before hours of training that the report would have nowhere to go."""
    if path is None:
        return
    existed = path.exists()
    try:
        path.open("a").close()
        if not existed:
            path.unlink()
    except OSError as error:
        raise UsageError(f"the report can't be written to {str(path)!r}: {error.strerror}.") from None


def check_log(log: Path) -> None:
    """Training goes on without its log if that can't be written; where one was asked for, say so before."""
    there = next(folder for folder in (log.absolute(), *log.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        why = "may not be written to" if there.is_dir() else "is no folder"
        raise UsageError(
            f"runs can't be logged to {str(log)!r}: {there} {why}. --log names another, --no-log logs none."
        )


def tell(
    report: Report,
    options: Namespace,
    voice: Voice,
    log: Path | None = None,
    *,
    commands: Mapping[str, str],
    is_replayed: bool = False,
) -> int:
    """Tell it, where the run was logged, and to an assistant which commands go on; the exit status it asks for."""
    shown = report if options.notes else report.without_notes()
    num_hidden = len(report.findings) - len(shown.findings)
    status = int(options.fail_on != "never" and report.reaches(options.fail_on))
    if options.report is not None:
        _write(shown, options.report, voice)
    if options.format == "text":
        from surefoot.report.text import as_text

        log = log if log and log.is_dir() else None
        loss_summary = _outlook(log, report, voice) if log else []
        voice.write(as_text(shown, voice.stream, num_hidden=num_hidden, log=log, loss_summary=loss_summary))
    elif options.format == "agent":
        from surefoot.fix.patcher import patchers
        from surefoot.report.agent import as_agent

        meaning = _meaning(status, options.fail_on, is_replayed=is_replayed)
        voice.write(
            as_agent(shown, commands=commands, patchable=patchers(), exit_status=meaning, num_hidden=num_hidden)
        )
    else:
        voice.write(render(shown, options.format))
    return status


def _meaning(status: int, fail_on: str, *, is_replayed: bool) -> str:
    """Of the exit status."""
    why = f"{'a' if status else 'no'} finding reaches --fail-on {fail_on}" if fail_on != "never" else "--fail-on never"
    return f"{status} ({why})" if is_replayed else f"the script's own if it is not 0; else {status} ({why})"


def _outlook(log: Path, report: Report, voice: Voice) -> list[str]:
    """How the loss ended, from the log of the run that has just ended."""
    if report.steps < TOO_SHORT:
        return []
    try:
        from surefoot.report.convergence import stored_loss_summary
        from surefoot.runlog.read.run import load_run

        return stored_loss_summary(load_run(log).first, report.findings)
    except Exception as error:
        voice.say(f"how the loss ended can't be told: {error}")
        return []


def _write(report: Report, file: Path, voice: Voice) -> None:
    try:
        file.write_text(report.as_json(), encoding="utf-8")
    except OSError as error:
        voice.say(f"the report can't be written to {str(file)!r}: {error.strerror}.")
