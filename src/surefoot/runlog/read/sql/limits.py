"""How far a query may go: which files, how long, how much memory, how many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import duckdb

from surefoot.facts.frozen import frozen
from surefoot.runlog.box.error import MOST_ROWS, TOO_LONG, TOO_MUCH_MEMORY, DataError, QueryError
from surefoot.runlog.read.sql.check import one_line
from surefoot.runlog.read.sql.load import quote

_FENCE = (
    "SET python_enable_replacements = false", "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false", "SET allow_community_extensions = false",
    "SET allow_persistent_secrets = false",
    "SET enable_external_access = false", "SET lock_configuration = true",
)  # fmt: skip


@frozen
class Limits:
    """`spill` is a folder for what does not fit into memory; without one, such a query fails.

    `cut`: an answer with more rows than allowed is cut off there, and says so, in place of an error.
    """

    seconds: float = 60.0
    memory: str = "2GB"
    rows: int = MOST_ROWS
    spill: Path | None = None
    cut: bool = False


def fence(connection: duckdb.DuckDBPyConnection, limits: Limits, allowed: Sequence[Path]) -> None:
    """From now on nothing is open but these files, and no setting can be changed."""
    fence_names(connection, limits, [str(file.absolute()) for file in allowed])


def fence_names(connection: duckdb.DuckDBPyConnection, limits: Limits, allowed: Sequence[str]) -> None:
    """The same of files that are named as DuckDB names them, which may be elsewhere."""
    connection.execute(f"SET allowed_paths = [{', '.join(map(quote, allowed))}]")
    connection.execute(f"SET memory_limit = {quote(limits.memory)}")
    connection.execute(f"SET temp_directory = {quote('' if limits.spill is None else str(limits.spill.absolute()))}")
    for setting in _FENCE:
        connection.execute(setting)


@contextmanager
def limited(connection: duckdb.DuckDBPyConnection, limits: Limits, spent_seconds: float = 0.0) -> Iterator[None]:
    """Interrupt what takes too long; say in one kind of error what went wrong."""
    timer = Timer(max(0.0, limits.seconds - spent_seconds), connection.interrupt)
    timer.start()
    try:
        yield
    except duckdb.InterruptException:
        raise QueryError(TOO_LONG.format(limits.seconds)) from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise QueryError(TOO_MUCH_MEMORY) from None
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.DataError) as error:
        raise QueryError(one_line(error)) from None
    except duckdb.Error as error:
        if "pytz" in str(error):  # which DuckDB asks for, and we do not
            raise QueryError("a time with a time zone can't be shown: cast it, as in now()::TIMESTAMP.") from None
        raise DataError(one_line(error)) from None
    finally:
        timer.cancel()
        timer.join()  # a thread that holds a connection must not outlive the interpreter
