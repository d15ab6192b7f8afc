"""Read run logs: one process's file, one run, a folder of runs. Never a lock that the writer feels."""

from surefoot.runlog.read.error import RunLogError, RunLogWarning
from surefoot.runlog.read.process import StoredProcess, read_process
from surefoot.runlog.read.run import Run, read_run
from surefoot.runlog.read.runs import Runs, open_runs
from surefoot.runlog.read.runs import open_runs as open  # noqa: A004 - as users call it: `sf.open`

__all__ = [
    "Run", "RunLogError", "RunLogWarning", "Runs", "StoredProcess", "open", "open_runs", "read_process", "read_run",
]  # fmt: skip
