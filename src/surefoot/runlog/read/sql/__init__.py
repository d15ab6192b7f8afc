"""SQL over runs: read-only, fenced in, with limits."""

from surefoot.runlog.read.sql.answer import Answer, ask
from surefoot.runlog.read.sql.check import QueryError

__all__ = ["Answer", "QueryError", "ask"]
