"""Stores the results of commands among the runs, where the dashboard shows them."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from surefoot.cli.parsing import DEFAULT_LOG
from surefoot.cli.voice import Voice
from surefoot.runlog.write.current import DEFAULT, log_folder
from surefoot.runlog.write.result import ResultRun


def add_keeping_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log", type=Path, default=DEFAULT_LOG, metavar="DIR", help="store the result among these runs (default: runs)"
    )
    parser.add_argument("--no-log", action="store_true", help="do not store it")


def result_run(options: argparse.Namespace, of: str, script: str, voice: Voice) -> ResultRun | None:
    log = None if getattr(options, "no_log", False) else log_folder(options.log)
    return None if log is None else ResultRun(log, of, script, voice.say)


def report_stored(folder: Path, voice: Voice) -> None:
    if not folder.is_dir():  # why was said
        return
    here = Path.cwd()
    log = folder.parent.relative_to(here) if folder.is_relative_to(here) else folder.parent
    command = "surefoot dash" if str(log) == DEFAULT else f"surefoot dash {shlex.quote(str(log))}"
    voice.say(f"saved as {log / folder.name}; `{command}` shows it.")
