"""The process that forks trial runs, as its user sees it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from typing import Any

from surefoot.lab.learn.end_with_parent import end


class TrialError(Exception):
    """No program can be run."""


class TrialServer:
    """Starts the process at the first job. Use it in a `with` statement."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "TrialServer":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def run(self, job: dict[str, Any], limit_seconds: float | None) -> int | None:
        """The job's exit status; None if it took too long, and was ended."""
        process = self._process = self._process or _start()
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, and below says why
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], limit_seconds)[0]:
            self.close()
            return None
        line = process.stdout.readline()
        if not line:
            said = process.stderr.read().decode(errors="replace").strip().splitlines()
            raise TrialError(f"the program can't be tried: {said[-1] if said else 'the process for it ended'}")
        return int(line)

    def close(self) -> None:
        """End it with all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "surefoot.fix.trial_process"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
        start_new_session=True,  # Ctrl-C is ours to answer
    )  # fmt: skip
