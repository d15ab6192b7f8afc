"""How far a query may go: which files, how long, how much memory, how many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import duckdb

from surefoot.runlog.read.sql.check import DataError, QueryError
from surefoot.runlog.read.sql.load import quote

MOST_ROWS = 20_000_000
_FENCE = (
    "SET python_enable_replacements = false", "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false", "SET allow_community_extensions = false",
    "SET enable_external_access = false", "SET lock_configuration = true",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """`spill` is a folder for what does not fit into memory; without one, such a query fails."""

    seconds: float = 60.0
    memory: str = "2GB"
    rows: int = MOST_ROWS
    spill: Path | None = None


def fence(connection: duckdb.DuckDBPyConnection, limits: Limits, allowed: Sequence[Path]) -> None:
    """From now on nothing is open but these files, and no setting can be changed."""
    connection.execute(f"SET allowed_paths = [{', '.join(quote(str(file.absolute())) for file in allowed)}]")
    connection.execute(f"SET memory_limit = {quote(limits.memory)}")
    connection.execute(f"SET temp_directory = {quote('' if limits.spill is None else str(limits.spill.absolute()))}")
    for setting in _FENCE:
        connection.execute(setting)


@contextmanager
def limited(connection: duckdb.DuckDBPyConnection, limits: Limits) -> Iterator[None]:
    """Interrupt what takes too long; say in one kind of error what went wrong."""
    timer = Timer(limits.seconds, connection.interrupt)
    timer.start()
    try:
        yield
    except duckdb.InterruptException:
        raise QueryError(
            f"the query took more than {limits.seconds:g} s and was stopped. Ask for less at once."
        ) from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise QueryError("the query needs more memory than it may use. Ask for less at once.") from None
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.DataError) as error:
        raise QueryError(str(error).strip()) from None
    except duckdb.Error as error:
        raise DataError(str(error).strip()) from None
    finally:
        timer.cancel()
        timer.join()  # a thread that holds a connection must not outlive the interpreter
