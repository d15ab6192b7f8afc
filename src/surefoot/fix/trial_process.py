"""Runs programs under the sanitizer, each in a process forked from this one, which has torch already.

Reads one job a line from stdin, and answers each with its exit status. When stdin is closed it ends, and all that it
started: whoever asked is gone.
"""

from __future__ import annotations

import json
import os
import random
import select
import sys
from pathlib import Path
from typing import Any

from surefoot.lab.learn.end_with_parent import end_group
from surefoot.launch.plan import Plan
from surefoot.launch.program import Program
from surefoot.launch.session import Session
from surefoot.launch.user_code import user_code
from surefoot.launch.workspace.redirect import Redirect
from surefoot.report import Report

POLL_SECONDS = 0.02
SEED = 0  # where a program sets none of its own; all trials begin alike


def main() -> None:
    import numpy as np
    import torch
    import torch._dynamo  # optimizers import it at their first use
    import torch.utils.data

    import surefoot.sanitizer  # noqa: F401

    torch.manual_seed(SEED)
    np.random.seed(SEED)
    random.seed(SEED)
    while True:
        job = json.loads(_next_line())
        pid = os.fork()
        if pid == 0:
            _run(job)
        print(_wait(pid), flush=True)


def _next_line() -> bytes:
    """Past Python's buffer, which `select` does not know of."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 65536)
        if not more:
            end_group()
        line += more
    return line


def _wait(pid: int) -> int:
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if select.select([0], [], [], POLL_SECONDS)[0]:  # no job comes before the answer: stdin was closed
            end_group()


def _run(job: dict[str, Any]) -> None:
    status = 1
    try:
        status = _session(job)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _session(job: dict[str, Any]) -> int:
    for target, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(job[name], os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), target)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["environ"])
    sys.path[:] = job["path"]
    redirect = Redirect(job["own"], job["outside"])
    redirect.install_with_torch()
    program = Program(job["name"], tuple(job["args"]), job["is_module"])
    plan = Plan(
        job["name"],
        tuple(job["rules"]),
        max_steps=job["max_steps"],
        log=Path(job["log"]),
        user_code=user_code(program),
        thorough=job["thorough"],
        gradcheck="wrong-custom-backward" in job["rules"],
        redirect=redirect,
    )

    def write(report: Report) -> int:
        Path(job["report"]).write_text(report.as_json(), encoding="utf-8")
        return 0

    session = Session(program, plan, None, on_finding=lambda finding: None, tell=write, say=lambda text: None)
    return session.run().status


if __name__ == "__main__":
    main()
