"""Runs many scripts, each in a process of its own, forked from one that has imported torch already.

    python nursery.py JOBS.json

Importing torch takes longer than any program of the corpus runs; so it is done once. A job is a mapping: `script` or
`module`, `argv`, `folder`, and the files that get its `stdout`, `stderr` and exit `status`.
Runs in the peers' environment too, so it imports nothing of this project.
"""

import atexit
import builtins
import json
import os
import runpy
import sys
import traceback
import warnings
from pathlib import Path

import torch
import torch._dynamo  # optimizers import it at their first use
import torch.utils.data

PARALLEL = 2


def main():
    torch.set_num_threads(1)
    jobs = json.loads(Path(sys.argv[1]).read_text())
    running = {}
    for job in jobs:
        if len(running) == PARALLEL:
            _wait(running)
        running[_start(job)] = job
    while running:
        _wait(running)


def _start(job):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = _run(job)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return pid


def _run(job):
    for target, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(job[name], os.O_CREAT | os.O_WRONLY | os.O_TRUNC), target)
    os.chdir(job["folder"])
    warnings.resetwarnings()
    for action in ("DeprecationWarning", "PendingDeprecationWarning", "ImportWarning", "ResourceWarning"):
        warnings.simplefilter("ignore", getattr(builtins, action))
    name = job.get("script") or job["module"]
    sys.argv = [name, *job["argv"]]
    try:
        if "script" in job:
            sys.path[0] = str(Path(name).parent)
            runpy.run_path(name, run_name="__main__")
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    return status


def _wait(running):
    pid, status = os.wait()
    job = running.pop(pid)
    Path(job["status"]).write_text(str(os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    main()
