"""Ask, and take the answer in the form that suits."""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import duckdb

from surefoot.runlog.box.error import DataError, QueryError
from surefoot.runlog.read.column import TRIES
from surefoot.runlog.read.error import RunLogError, SegmentGoneError, Unreadable
from surefoot.runlog.read.segment import find_damaged
from surefoot.runlog.read.sql.check import check
from surefoot.runlog.read.sql.limits import Limits, fence, limited
from surefoot.runlog.read.sql.load import Loader, quote

if TYPE_CHECKING:
    from surefoot.runlog.read.run import Run

_BATCH = 4096

LoadRuns = Callable[[], Sequence["Run | Unreadable"]]


class Answer:
    """The result of one query. `problems` tells which parts of the log could not be read for it.

    `is_cut`: rows were left out, as the limits allow; known once the rows are taken.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, query: str, problems: list[str], limits: Limits) -> None:
        self.problems = problems
        self._connection = connection
        self._query = f"SELECT * FROM (\n{query}\n) LIMIT {limits.rows + 1}"
        self._limits = limits
        self._spent_seconds = 0.0  # on this query, all its batches together
        self._begun: duckdb.DuckDBPyConnection | None = self._begin()  # so that what is wrong is said at once
        described = self._begun.description or []
        self.columns: list[str] = [column[0] for column in described]
        self.types: list[str] = [str(column[1]) for column in described]
        self.is_cut = False

    def rows(self) -> list[tuple[Any, ...]]:
        return [row for batch in self.batches() for row in batch]

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """Some rows at a time. Taken again, the same snapshot is asked again."""
        if self._begun is None:
            self._spent_seconds = 0.0
        begun, self._begun = self._begun or self._begin(), None
        num_rows = 0
        while True:
            with self._limited(begun):
                batch = begun.fetchmany(_BATCH)
            if not batch:
                return
            num_rows += len(batch)
            if self._limits.cut and num_rows > self._limits.rows:
                self.is_cut = True
                yield batch[: self._limits.rows - num_rows]
                return
            self._check_size(num_rows)
            yield batch

    def df(self) -> Any:
        """As a pandas data frame."""
        return self._taken("pandas", lambda found: found.df())

    def pl(self) -> Any:
        """As a Polars data frame."""
        _need("polars")
        return importlib.import_module("polars").from_arrow(self.arrow())

    def arrow(self) -> Any:
        """As an Arrow table."""
        return self._taken("pyarrow", lambda found: found.to_arrow_table())

    def close(self) -> None:
        """Let go of what the query read. Nothing can be taken after it."""
        self._begun = None
        self._connection.close()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (row for batch in self.batches() for row in batch)

    def __repr__(self) -> str:
        return f"<answer with columns {', '.join(self.columns)}: .rows(), .df(), .pl() or .arrow() takes it>"

    def _taken(self, package: str, take: Callable[[duckdb.DuckDBPyRelation], Any]) -> Any:
        _need(package)
        cursor = self._connection.cursor()
        with self._limited(cursor):
            taken = take(cursor.sql(self._query))
        self._check_size(len(taken))
        return taken

    def _check_size(self, num_rows: int) -> None:
        if num_rows > self._limits.rows:
            raise QueryError(f"the answer has more than {self._limits.rows:,} rows. Aggregate, or add a LIMIT.")

    def _begin(self) -> duckdb.DuckDBPyConnection:
        cursor = self._connection.cursor()
        with self._limited(cursor):
            cursor.execute(self._query)
        return cursor

    @contextmanager
    def _limited(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        begun = monotonic()
        try:
            with limited(connection, self._limits, self._spent_seconds):
                yield
        finally:
            self._spent_seconds += monotonic() - begun


def ask(load: LoadRuns, query: str, *, into: Path | None = None, **given: Any) -> Answer:
    """Run a query over these runs; `into` writes what it finds to a Parquet file instead. `given` are Limits."""
    limits = Limits(**given)
    without: frozenset[Path] = frozenset()
    told: list[str] = []
    for attempt in range(TRIES):
        connection = duckdb.connect(":memory:")
        loader = None
        try:
            checked = check(query, connection)
            loader = Loader(connection, load(), without=without, last_try=attempt == TRIES - 1)
            loader.load(checked.tables)
            fence(connection, limits, [*loader.files, *([] if into is None else [into])])
            text = checked.text if into is None else _copied(connection, checked.text, into, limits)
            return Answer(connection, text, told + loader.problems, limits)
        except SegmentGoneError:
            connection.close()
        except duckdb.IOException:
            connection.close()
            if loader is None or all(file.exists() for file in loader.files):  # else it was merged since it was listed
                raise
        except DataError:
            connection.close()
            damaged = find_damaged(loader.files) if loader is not None else []
            if not damaged or attempt == TRIES - 1:
                raise
            for file in damaged:
                if file.exists():  # else it was merged into another one since
                    without |= {file}
                    told.append(f"{file} is damaged: its values are left out.")
        except QueryError:
            connection.close()
            raise
    raise RunLogError("the segments change faster than they can be read. Try again.")


def _copied(connection: duckdb.DuckDBPyConnection, query: str, into: Path, limits: Limits) -> str:
    copy = f"COPY (\n{query}\n) TO {quote(str(into.absolute()))} (FORMAT parquet, COMPRESSION zstd)"
    try:
        with limited(connection, limits):
            rows = connection.execute(copy).fetchall()
    except QueryError as error:
        full = os.strerror(errno.ENOSPC)
        if full in str(error):
            raise QueryError(f"the answer can't be written: {full}.") from None
        raise
    return f"SELECT {rows[0][0]} AS num_rows"


def _need(package: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError:
        raise ImportError(f"{package} is not installed. Install it, or take .rows().") from None
