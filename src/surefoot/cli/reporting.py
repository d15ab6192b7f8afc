"""Writes a report: to stderr in the requested format, and to a file."""

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
    add("--report", type=Path, metavar="FILE", help="write the report as JSON")
    add("--format", choices=FORMATS, default="text", help="of the output on stderr (default: text)")
    add(
        "--fail-on",
        choices=LEVELS,
        default="error",
        help="exit with status 1 for findings of this level or above (default: error)",
    )
    add("--notes", action="store_true", help="show notes too")


def check_writable(path: Path | None) -> None:
    """Fails before hours of training if the report can't be written."""
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
    """Training continues without a log that can't be written; if one was asked for, fails before training."""
    there = next(folder for folder in (log.absolute(), *log.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        why = "is not writable" if there.is_dir() else "is not a folder"
        raise UsageError(
            f"runs can't be logged to {str(log)!r}: {there} {why}. Choose another folder with --log, or none "
            "with --no-log."
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
    """Writes the report and where the run was logged, and for assistants the next commands; returns the exit status."""
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
        voice.say(f"can't tell how the loss ended: {error}")
        return []


def _write(report: Report, file: Path, voice: Voice) -> None:
    try:
        file.write_text(report.as_json(), encoding="utf-8")
    except OSError as error:
        voice.say(f"the report can't be written to {str(file)!r}: {error.strerror}.")
