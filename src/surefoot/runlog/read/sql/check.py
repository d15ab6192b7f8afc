"""Which queries are run: one statement that reads, from tables and from functions that touch nothing outside."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from surefoot.facts.frozen import frozen
from surefoot.runlog.box.error import QueryError
from surefoot.runlog.read.sql.views import VIEWS

# Others read files, take addresses of Python objects, or run text that is not looked at here.
TABLE_FUNCTIONS = frozenset((
    "duckdb_columns", "duckdb_functions", "duckdb_tables", "generate_series", "histogram", "histogram_values",
    "json_each", "json_tree", "pragma_table_info", "range", "repeat", "repeat_row", "summary", "unnest",
))  # fmt: skip
# Functions that tell settings or other queries, wait, write, or keep something between queries.
_NOT_ALLOWED = re.compile(
    r"current_setting|getenv|\w*variable|current_query(_id)?|(next|curr|set)val|write_log|sleep_ms|parse_duckdb_log_message"
    r"|(duckdb|pragma|read|parquet|which|json_execute|add_parquet)_\w*"
)
_SCHEMAS = {"": frozenset(VIEWS), "main": frozenset(VIEWS), "information_schema": frozenset(("tables", "columns"))}
_SHOWN = ("", '"tables"', "__show_tables_expanded")  # SHOW TABLES, SHOW ALL TABLES, and DESCRIBE of a query


@frozen
class Checked:
    text: str  # without the semicolon
    tables: frozenset[str]  # that it names, in lower case


def check(query: str, connection: duckdb.DuckDBPyConnection) -> Checked:
    """Refuse what is not one SELECT; tell what it reads."""
    if not isinstance(query, str):
        raise TypeError(f'a query is text, such as "SELECT run, last_loss FROM runs", got {type(query).__name__}.')
    _check_statement(query)
    text = query.strip().rstrip("; \t\r\n")
    try:
        (serialized,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()[0]
        tree = json.loads(serialized)
        nodes = list(_nodes(tree))
    except (RecursionError, duckdb.Error) as error:
        raise QueryError(f"the query is nested too deeply, or can't be read: {one_line(error)}") from None
    if tree.get("error"):
        raise QueryError(f"the query can't be read: {tree.get('error_message')}")
    _check_functions(nodes)
    return Checked(text, _check_tables(nodes))


def _check_functions(nodes: Sequence[dict[str, Any]]) -> None:
    of_tables = [node["function"] for node in nodes if node.get("type") == "TABLE_FUNCTION"]
    for node in nodes:
        if node.get("class") == "FUNCTION" or node.get("type") == "FUNCTION":
            name = str(node.get("function_name", "")).lower()
            is_table = any(node is one for one in of_tables)
            if name not in TABLE_FUNCTIONS if is_table else _NOT_ALLOWED.fullmatch(name):
                raise QueryError(f"the function {name}() is not allowed here: SQL reads this run log only.")


def _check_tables(nodes: Sequence[dict[str, Any]]) -> frozenset[str]:
    """The names of tables, in lower case; refused if one is neither a view of the log nor defined by the query."""
    defined = {str(one["key"]).lower() for node in nodes if "cte_map" in node for one in node["cte_map"]["map"]}
    found = set()
    for node in nodes:
        name, schema = str(node.get("table_name", "")).lower(), str(node.get("schema_name", "")).lower()
        if node.get("type") == "SHOW_REF" and name not in _SHOWN:
            raise QueryError("SHOW lists tables only: SHOW TABLES, or DESCRIBE and the name of one.")
        if node.get("type") != "BASE_TABLE":
            continue
        if name not in _SCHEMAS.get(schema, ()) and not (name in defined and not schema):
            near = difflib.get_close_matches(name, VIEWS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise QueryError(f"{name} does not exist here.{hint} The views are {', '.join(VIEWS)}.")
        found.add(name)
    return frozenset(found)


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
