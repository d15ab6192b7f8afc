"""Which queries are run: one statement that reads, from tables and from functions that touch nothing outside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb

from surefoot.facts.frozen import frozen


class QueryError(Exception):
    """A query that is refused or fails, and why."""


class DataError(QueryError):
    """A query that fails through what it reads: a file may be damaged."""


# Others read files, take addresses of Python objects, or run text that is not looked at here.
TABLE_FUNCTIONS = frozenset((
    "duckdb_columns", "duckdb_functions", "duckdb_tables", "duckdb_views", "generate_series", "histogram",
    "histogram_values", "json_each", "json_tree", "pragma_table_info", "range", "repeat", "repeat_row", "summary",
    "unnest",
))  # fmt: skip


@frozen
class Checked:
    text: str  # without the semicolon
    tables: frozenset[str]  # that it names, in lower case


def check(query: str, connection: duckdb.DuckDBPyConnection) -> Checked:
    """Refuse what is not one SELECT; tell what it reads."""
    _check_statement(query)
    text = query.strip().rstrip("; \t\r\n")
    try:
        (serialized,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()[0]
        tree = json.loads(serialized)
        nodes = list(_nodes(tree))
    except (RecursionError, duckdb.Error) as error:
        raise QueryError(f"the query is nested too deeply, or can't be read: {error}") from None
    if tree.get("error"):
        raise QueryError(f"the query can't be read: {tree.get('error_message')}")
    for node in nodes:
        if node.get("type") == "TABLE_FUNCTION":
            name = str(node["function"]["function_name"]).lower()
            if name not in TABLE_FUNCTIONS:
                raise QueryError(f"the function {name}() is not allowed here: SQL reads this run log only.")
    tables = frozenset(str(node.get("table_name", "")).lower() for node in nodes if node.get("type") == "BASE_TABLE")
    return Checked(text, tables)


def _check_statement(query: str) -> None:
    try:
        statements = duckdb.extract_statements(query)
    except duckdb.Error as error:
        raise QueryError(one_line(error)) from None
    if len(statements) != 1:
        raise QueryError(f"one query at a time, got {len(statements)} statements.")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = statements[0].type.name.replace("_", " ")
        raise QueryError(f"only SELECT is possible, got {kind}: a run log is never changed by SQL.")


def one_line(error: Exception) -> str:
    """Without the copy of the query below it, which counts lines of what is around it, too."""
    return " ".join(str(error).partition("\n\nLINE ")[0].split())


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)
