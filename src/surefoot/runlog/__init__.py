"""The run log: one folder a run, one SQLite file a process, with its facts and findings."""

from surefoot.runlog.folder import run_folder
from surefoot.runlog.read import RunLogError, StoredProcess, read_run
from surefoot.runlog.schema import SCHEMA_VERSION
from surefoot.runlog.write import Run, RunLog

__all__ = ["SCHEMA_VERSION", "Run", "RunLog", "RunLogError", "StoredProcess", "read_run", "run_folder"]
