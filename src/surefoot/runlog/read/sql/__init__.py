"""SQL over runs: read-only, fenced in, with limits."""

from surefoot.runlog.read.sql.answer import Answer, ask
from surefoot.runlog.read.sql.check import QueryError
from surefoot.runlog.read.sql.limits import Stop

__all__ = ["Answer", "QueryError", "Stop", "ask"]
