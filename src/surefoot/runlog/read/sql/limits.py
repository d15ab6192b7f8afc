"""How far a query may go: which files, how long, how much memory, how many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from threading import RLock, Timer

import duckdb

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.sql.check import DataError, QueryError, one_line
from surefoot.runlog.read.sql.load import quote

MOST_ROWS = 20_000_000
_FENCE = (
    "SET python_enable_replacements = false", "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false", "SET allow_community_extensions = false",
    "SET enable_external_access = false", "SET lock_configuration = true",
)  # fmt: skip


class Stop:
    """Ends a query from another thread, when nobody waits for its answer any more."""

    def __init__(self) -> None:
        self._lock = RLock()  # a signal handler may ask
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._is_asked = False

    def ask(self) -> None:
        with self._lock:
            self._is_asked = True
            if self._connection is not None:
                self._connection.interrupt()

    @contextmanager
    def heeded(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        with self._lock:
            if self._is_asked:
                raise QueryError("the query was stopped.")
            self._connection = connection
        try:
            yield
        finally:
            with self._lock:
                self._connection = None


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
    stop: Stop = field(default_factory=Stop)


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
        with limits.stop.heeded(connection):
            yield
    except duckdb.InterruptException:
        raise QueryError(
            f"the query took more than {limits.seconds:g} s and was stopped. Ask for less at once."
        ) from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise QueryError("the query needs more memory than it may use. Ask for less at once.") from None
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.DataError) as error:
        raise QueryError(one_line(error)) from None
    except duckdb.Error as error:
        raise DataError(one_line(error)) from None
    finally:
        timer.cancel()
        timer.join()  # a thread that holds a connection must not outlive the interpreter
