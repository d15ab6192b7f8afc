"""`cmd:`: any command, which gets the alert as JSON on its stdin."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from surefoot.alerts.send.destination import SEND_SECONDS, Destination, DestinationError, SendError

TOLD_CHARACTERS = 200  # of what a command said about its failure
SECRET_CHARACTERS = 6  # parts of its arguments that are as long may be secrets
NAME = re.compile(r"[\w.+-]+")
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://\S+", re.IGNORECASE)


class Command(Destination):
    """It runs where the program was started, without a shell."""

    def __init__(self, text: str) -> None:
        try:
            self._words = shlex.split(text, posix=os.name == "posix")
        except ValueError as error:
            raise DestinationError(f"the command after cmd: can't be read: {str(error).lower()}.") from None
        if not self._words:
            raise DestinationError("cmd: needs a command, as in cmd:notify-send surefoot.")
        if ADDRESS.match(self._words[0]):
            raise DestinationError("cmd: runs a command, and was given an address. Leave out cmd: to send it there.")
        self.shown = f"cmd:{Path(self._words[0]).name}" + " …" * (len(self._words) > 1)
        self._folder = Path.cwd()

    def check(self) -> None:
        if shutil.which(self._words[0]) is None:
            name = self._words[0]
            message = f"no command {name!r}" if NAME.fullmatch(name) else "no such command"  # it may be an address
            raise DestinationError(f"there is {message} to send alerts with.")

    def send(self, payload: Mapping[str, Any]) -> None:
        run_with(self._words, json.dumps(payload, allow_nan=False, default=str), self._folder)


def run_with(words: Sequence[str], text: str, folder: Path | None = None, *, tells: bool = True) -> None:
    """Run a command with a text on its stdin, and end it if it takes too long.

    Its output goes into a file, not into a pipe: what it leaves running in the background would keep that open.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                list(words), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=output,
                cwd=folder if folder is not None and folder.is_dir() else None, start_new_session=os.name == "posix",
            )  # fmt: skip
        except OSError as error:
            raise SendError(f"it could not be started: {error.strerror}", may_pass=False) from None
        try:
            process.communicate(text.encode(), SEND_SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            raise SendError(f"it did not end within {SEND_SECONDS:.0f} s", may_pass=False) from None
        if process.returncode:
            output.seek(0)
            reason = output.read().decode(errors="replace").strip() if tells else ""
            last = _without_secrets(reason.splitlines()[-1], words[1:])[:TOLD_CHARACTERS] if reason else ""
            raise SendError(f"it ended with status {process.returncode}" + f": {last}" * bool(last))


def _without_secrets(text: str, arguments: Sequence[str]) -> str:
    """A command that fails may repeat its arguments, and addresses that it has from elsewhere."""
    text = ADDRESS.sub(r"\1://…", text)
    parts = {part for word in arguments for part in re.split(r"[\s\"'=&?;|<>]+", word)}
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, "…") if len(part) >= SECRET_CHARACTERS else text
    return text


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # with all that it started
    process.wait()
