"""Attempts to get out: SQL reads the run log and nothing else, changes nothing, and ends."""

from pathlib import Path

import duckdb
import pytest

import surefoot as sf
from surefoot.runlog.box.error import QueryError
from surefoot.runlog.read import Runs
from surefoot.runlog.read.sql.limits import Limits, fence
from tests.runlog.making import LogFile


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fenced")
    with LogFile(folder / "runs" / "a" / "rank-0.db") as log:
        log.log([1, 2], loss=[1.0, 2.0])
        log.seal()
    (folder / "secret.csv").write_text("secret\n1\n")
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> Runs:
    return sf.open(folder / "runs")


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO '{0}/out.csv'",
        "COPY scalars FROM '{0}/secret.csv'",
        "ATTACH '{0}/other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA version",
        "PRAGMA enable_profiling",
        "SET threads = 1",
        "SET enable_external_access = true",
        "RESET allowed_paths",
        "CREATE TABLE t AS SELECT 1",
        "CREATE OR REPLACE VIEW runs AS SELECT 1",
        "DROP VIEW scalars",
        "INSERT INTO runs (run) VALUES ('x')",
        "DELETE FROM runs",
        "UPDATE runs SET run = 'x'",
        "CALL enable_logging('QueryLog')",
        "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
        "EXPORT DATABASE '{0}/dump'",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "USE memory",
        "PREPARE p AS SELECT 1",
    ],
)
def test_only_select_is_possible(query: str, runs: Runs, folder: Path) -> None:
    with pytest.raises(QueryError, match="only SELECT is possible"):
        runs.sql(query.format(folder))
    assert not {"out.csv", "other.db", "dump"} & {file.name for file in folder.iterdir()}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_csv('{0}/secret.csv')",
        "SELECT * FROM read_text('{0}/secret.csv')",
        "SELECT * FROM read_blob('{0}/secret.csv')",
        "SELECT * FROM '{0}/secret.csv'",
        'SELECT * FROM "{0}/secret.csv"',
        "SELECT (SELECT count(*) FROM glob('{0}/*'))",
        "WITH x AS (FROM sniff_csv('{0}/secret.csv')) FROM x",
        "SELECT 1 WHERE EXISTS (FROM parquet_schema('{0}/secret.csv'))",
        "FROM query('FROM read_csv(''{0}/secret.csv'')')",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "FROM enable_logging(storage := 'file', storage_path := '{0}/log')",
        "FROM pandas_scan(4711)",
        "FROM arrow_scan(1, 2, 3)",
        "FROM duckdb_secrets()",
        "FROM duckdb_settings()",
        "FROM duckdb_settings",
        "FROM pg_catalog.pg_settings",
        "FROM pg_settings",
        "FROM _unsealed",
        "FROM duckdb_views()",
        "FROM system.main.duckdb_views",
        "SELECT current_setting('allowed_paths')",
        "SELECT getenv('HOME')",
        "SELECT getvariable('a')",
        "SELECT system.main.current_setting('allowed_paths')",
        "SELECT [1].list_transform(x -> current_setting('allowed_paths'))",
        "SELECT current_query()",
        "WITH pg_settings AS (SELECT 1) FROM pg_catalog.pg_settings",
        "FROM which_secret('s3://a', 's3')",
        "DESCRIBE pg_settings",
        "FROM RANGE(3) a, Read_Csv('{0}/secret.csv')",
    ],
)
def test_nothing_but_the_log_is_read(query: str, runs: Runs, folder: Path) -> None:
    with pytest.raises(QueryError, match=r"is not allowed here|does not exist|disabled by configuration"):
        runs.sql(query.format(folder)).rows()
    assert not (folder / "log").exists()


def test_names_of_python_are_not_tables(runs: Runs) -> None:
    secret = {"a": [1]}
    with pytest.raises(QueryError, match="secret does not exist here"):
        runs.sql("SELECT * FROM secret").rows()
    assert secret


@pytest.mark.parametrize("query", ["SELECT 1; SELECT 2", "SELECT 1; DROP VIEW scalars", ""])
def test_one_statement_at_a_time(query: str, runs: Runs) -> None:
    with pytest.raises(QueryError, match="one query at a time"):
        runs.sql(query)


@pytest.mark.parametrize("query", ["SELECT 1) UNION ALL (SELECT 2", "SELECT 1) LIMIT 1; DROP VIEW scalars; --"])
def test_a_query_does_not_leave_its_brackets(query: str, runs: Runs) -> None:
    with pytest.raises(QueryError):
        runs.sql(query)


def test_what_is_nested_too_deeply_is_refused(runs: Runs) -> None:
    for query in ("SELECT " + "+".join(["1"] * 900), "SELECT * FROM " + "(SELECT * FROM " * 900 + "runs" + ")" * 900):
        with pytest.raises(QueryError, match="nested too deeply"):
            runs.sql(query)


def test_comments_and_semicolons_do_no_harm(runs: Runs) -> None:
    assert runs.sql("-- first\nSELECT 1 AS a /* ; */ ; \n").rows() == [(1,)]
    assert runs.sql("SELECT ';' AS a -- the end").rows() == [(";",)]


@pytest.mark.parametrize(
    "query",
    [
        "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT max(a) FROM t",
        "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3",
    ],
)
def test_what_takes_too_long_is_stopped(query: str, runs: Runs) -> None:
    with pytest.raises(QueryError, match=r"took more than 0\.3 s"):
        runs.sql(query, seconds=0.3).rows()


def test_what_takes_too_much_memory_is_stopped(runs: Runs) -> None:
    with pytest.raises(QueryError, match="more memory"):
        runs.sql("SELECT list(range) FROM range(100000000)", memory="50MB").rows()


def test_an_endless_answer_is_stopped(runs: Runs) -> None:
    with pytest.raises(QueryError, match="more than 10,000 rows"):
        runs.sql(
            "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT a FROM t", rows=10_000
        ).rows()
    assert len(runs.sql("FROM range(10000)", rows=10_000).rows()) == 10_000


def test_only_the_segments_are_left_open(folder: Path) -> None:
    """And nothing of that could be changed by a query that got past the check."""
    connection = duckdb.connect(":memory:")
    segment = folder / "runs" / "a" / "rank-0.segments" / "000001.parquet"
    fence(connection, Limits(), [segment])
    assert connection.execute("SELECT count(*) FROM read_parquet(?)", [str(segment)]).fetchall() == [(2,)]
    for query in (f"FROM read_text('{folder}/secret.csv')", "SET enable_external_access = true", "INSTALL httpfs"):
        with pytest.raises(duckdb.Error, match=r"disabled|locked"):
            connection.execute(query)
    connection.close()


def test_a_time_with_a_zone_says_what_to_do(runs: Runs) -> None:
    with pytest.raises(QueryError, match=r"cast it, as in now\(\)::TIMESTAMP"):
        runs.sql("SELECT now()").rows()


def test_views_are_asked_for_in_all_ways(runs: Runs) -> None:
    for query in ("FROM main.runs", "WITH x AS (FROM runs) FROM x", "DESCRIBE runs", "SHOW TABLES", "SUMMARIZE scalars",
                  "FROM information_schema.tables", "SELECT * FROM Runs r JOIN SCALARS s USING (run)"):  # fmt: skip
        runs.sql(query).rows()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
def test_a_full_disk_is_said(runs: Runs) -> None:
    with pytest.raises(QueryError, match=r"^the answer can't be written: No space left on device\.$"):
        runs.sql("SELECT 1", into=Path("/dev/full"))
