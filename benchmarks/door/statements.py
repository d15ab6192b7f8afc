"""Statements made to break out of SQL or to take the machine. `{secret}` is a file to read, `{out}` one to write."""
# ruff: noqa: E501 - statements stand as they are sent

from __future__ import annotations

_READERS = (
    "read_csv", "read_csv_auto", "read_text", "read_blob", "read_json", "read_json_auto", "read_json_objects",
    "read_ndjson", "read_ndjson_auto", "read_ndjson_objects", "read_parquet", "parquet_scan", "parquet_schema",
    "parquet_metadata", "parquet_file_metadata", "parquet_kv_metadata", "parquet_full_metadata", "sniff_csv", "glob",
    "read_duckdb", "read_single_csv_file", "read_single_json_file", "read_single_parquet_file", "seq_scan",
    "query_table", "json_execute_serialized_sql", "pandas_scan", "python_arrow_scan", "arrow_scan", "copy_database",
    "import_database", "create_external_resource", "register_external_resource",
)  # fmt: skip
_CATALOGUES = (
    "duckdb_settings", "duckdb_secrets", "duckdb_databases", "duckdb_views", "duckdb_variables", "duckdb_logs",
    "duckdb_extensions", "duckdb_memory", "duckdb_temporary_files", "duckdb_external_file_cache", "duckdb_secret_types",
    "duckdb_prepared_statements", "duckdb_profiling_settings", "pragma_database_list", "pragma_storage_info",
    "pragma_user_agent", "duckdb_external_resources", "duckdb_log_contexts", "pragma_database_size",
)  # fmt: skip
_SETTINGS = (
    "allowed_paths", "temp_directory", "home_directory", "secret_directory", "memory_limit", "custom_user_agent",
    "http_proxy_password", "extension_directory", "log_query_path", "profile_output",
)  # fmt: skip
_STATEMENTS = (
    "COPY (SELECT 1) TO '{out}'", "COPY runs TO '{out}' (FORMAT csv)", "COPY runs FROM '{secret}'", "ATTACH '{out}' AS a",
    "ATTACH ':memory:' AS a", "DETACH memory", "INSTALL httpfs", "LOAD httpfs", "LOAD '{secret}'",
    "FORCE INSTALL sqlite FROM 'http://127.0.0.1/'", "PRAGMA database_list", "PRAGMA enable_profiling='json'",
    "PRAGMA profile_output='{out}'", "PRAGMA memory_limit='100GB'", "PRAGMA threads=64", "SET memory_limit='100GB'",
    "SET GLOBAL enable_external_access=true", "SET lock_configuration=false", "RESET memory_limit",
    "SET temp_directory='{out}'", "SET VARIABLE a=(SELECT content FROM read_text('{secret}'))",
    "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')", "CREATE TABLE t AS FROM read_csv('{secret}')",
    "CREATE VIEW v AS SELECT 1", "CREATE MACRO m() AS 1", "CREATE TEMP TABLE t AS SELECT 1", "CREATE SEQUENCE s",
    "INSERT INTO runs (run) VALUES ('x')", "UPDATE runs SET run='x'", "DELETE FROM runs", "TRUNCATE runs",
    "DROP TABLE runs", "ALTER TABLE runs RENAME TO gone", "EXPORT DATABASE '{out}'", "IMPORT DATABASE '{secret}'",
    "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "BEGIN", "COMMIT", "ROLLBACK", "USE memory", "PREPARE p AS SELECT 1",
    "EXECUTE p", "CALL enable_logging('QueryLog')", "CALL pragma_version()", "EXPLAIN ANALYZE COPY runs TO '{out}'",
    "SELECT 1; COPY runs TO '{out}'", "SELECT 1); COPY runs TO '{out}'; --", "SELECT 1) TO '{out}' --", "", ";", "--",
    "SELECT 1 /*", "SELECT '", "COMMENT ON TABLE runs IS 'x'", "MERGE INTO runs USING runs r ON true",
    "UPDATE EXTENSIONS", "SHOW DATABASES", "SHOW VARIABLES", "SUMMARIZE '{secret}'", "DESCRIBE '{secret}'",
)  # fmt: skip
_FORMS = (
    "FROM '{secret}'", 'FROM "{secret}"', "SELECT * FROM '{secret}' t", "SELECT (SELECT content FROM read_text('{secret}'))",
    "WITH x AS (FROM read_text('{secret}')) FROM x", "WITH x AS MATERIALIZED (FROM read_csv('{secret}')) FROM x",
    "WITH RECURSIVE x AS (FROM read_text('{secret}') UNION ALL FROM x) FROM x", "FROM range(1), read_text('{secret}')",
    "FROM range(1) r, LATERAL read_text('{secret}')", "SELECT 1 WHERE EXISTS (FROM read_text('{secret}'))",
    "SELECT 1 ORDER BY (SELECT content FROM read_text('{secret}'))", "FROM query('FROM read_text(''{secret}'')')",
    "SELECT 1 GROUP BY (SELECT size FROM read_text('{secret}'))", "FROM query_table('{secret}')",
    "SELECT 1 UNION ALL SELECT content FROM read_text('{secret}')", "FROM (FROM (FROM read_text('{secret}')))",
    "SELECT * FROM READ_TEXT('{secret}')", 'SELECT * FROM "read_text"(\'{secret}\')', "FROM system.main.read_text('{secret}')",
    "SELECT list_transform([1], x -> (SELECT content FROM read_text('{secret}')))", "FROM 'file://{secret}'",
    "SELECT sum(1) OVER (ORDER BY (SELECT size FROM read_text('{secret}')))", "FROM '/proc/self/environ'",
    "FROM read_text('/proc/self/environ')", "FROM read_blob('/proc/self/mem')", "FROM read_csv('https://127.0.0.1/a.csv')",
    "FROM read_csv('/dev/stdin')", "FROM 's3://bucket/x.parquet'", "SELECT getenv('SUREFOOT_CANARY')",
    "SELECT system.main.getenv('SUREFOOT_CANARY')", "SELECT getvariable('a')", "SELECT current_query()",
    "SELECT write_log('x')", "SELECT nextval('s')", "FROM _unsealed", "FROM _segment", "FROM pg_catalog.pg_settings",
    "FROM pg_settings", "FROM system.pg_catalog.pg_settings", "FROM sqlite_master", "FROM information_schema.schemata",
    "WITH pg_settings AS (SELECT 1) FROM pg_catalog.pg_settings", "FROM which_secret('s3://a', 's3')",
    "SELECT error(content) FROM read_text('{secret}')", "SELECT parse_duckdb_log_message('x', 'y')", "PIVOT '{secret}' ON a",
    "UNPIVOT '{secret}' ON a INTO NAME n VALUE v", "SELECT COLUMNS(c -> read_text('{secret}')) FROM runs",
    "SELECT [x FOR x IN (SELECT content FROM read_text('{secret}'))]", "VALUES ((SELECT content FROM read_text('{secret}')))",
)  # fmt: skip
# Answers may be right, or say that time, memory or size do not do. They may not take the machine.
BOMBS = (
    "SELECT list(range) FROM range(2000000000)", "SELECT * FROM range(2000000000) ORDER BY hash(range)",
    "SELECT * FROM range(2000000000)", "SELECT array_agg(range ORDER BY -range) FROM range(1000000000)",
    "SELECT string_agg(range::VARCHAR, ',') FROM range(1000000000)", "SELECT repeat('x', 2000000000)",
    "SELECT repeat(repeat('x', 60000), 60000)", "SELECT repeat('x', 1000000) FROM range(100000)",
    "SELECT list_sort(range(900000000))", "SELECT range(2000000000)", "SELECT generate_series(1, 2000000000)",
    "SELECT unnest(range(2000000000))", "SELECT DISTINCT range FROM range(2000000000)",
    "SELECT range, count(*) FROM range(1000000000) GROUP BY range", "SELECT histogram(range) FROM range(500000000)",
    "SELECT map_from_entries(list((range, range))) FROM range(300000000)", "SELECT json_group_array(range) FROM range(300000000)",
    "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range % 7 = 3",
    "SELECT * FROM range(1000000) a, range(1000000) b ORDER BY a.range + b.range DESC LIMIT 3",
    "SELECT a.range FROM range(50000000) a JOIN range(50000000) b ON a.range % 10 = b.range % 10 ORDER BY 1",
    "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT max(a) FROM t",
    "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t, range(10)) SELECT count(*) FROM t",
    "WITH RECURSIVE t AS (SELECT 'x' AS a UNION ALL SELECT a || a FROM t) SELECT max(length(a)) FROM t",
    "WITH RECURSIVE t AS (SELECT [1] AS a UNION ALL SELECT a || a FROM t) SELECT max(len(a)) FROM t",
    "SELECT quantile_cont(range, 0.5) FROM range(1000000000)", "SELECT median(random()) FROM range(1000000000)",
    "SELECT mode(hash(range)) FROM range(1000000000)", "SELECT approx_quantile(range, 0.5) FROM range(100000000000)",
    "SELECT sum(range) OVER (ORDER BY range ROWS BETWEEN 100000000 PRECEDING AND CURRENT ROW) FROM range(200000000)",
    "SELECT regexp_matches(repeat('a', 50000000), '(a*)*b')", "SELECT regexp_replace(repeat('a', 90000000), 'a', 'bb', 'g')",
    "SELECT lpad('x', 1500000000, 'y')", "SELECT rpad('x', 1500000000, 'y')", "SELECT printf('%1500000000d', 1)",
    "SELECT format('{:1500000000}', 1)", "SELECT bitstring('1', 2000000000)", "SELECT list_resize([1], 2000000000)",
    "SELECT array_to_string(range(300000000), ',')", "SELECT split(repeat('a,', 300000000), ',')",
    "SELECT string_split_regex(repeat('a', 200000000), '')", "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "SELECT editdist3(repeat('a', 200000), repeat('b', 200000))", "SELECT jaro_similarity(repeat('a', 3000000), repeat('b', 3000000))",
    "SELECT to_base64(repeat('x', 900000000)::BLOB)", "SELECT hex(repeat('x', 900000000))", "SELECT md5(repeat('x', 1900000000))",
    "SELECT factorial(100000)", "SELECT 10::HUGEINT ** 100000", "SELECT sleep_ms(100000000)", "SELECT sleep_ms(1000) FROM range(1000)",
    "SELECT uuid() FROM range(2000000000) ORDER BY 1", "SELECT random() FROM range(2000000000) ORDER BY 1",
    "SELECT * FROM repeat('x', 2000000000) ORDER BY 1", "SELECT * FROM repeat_row('x', 'y', num_rows=2000000000) ORDER BY 1",
    "SELECT list_reduce(range(100000000), (a, b) -> a + b)", "SELECT list_transform(range(400000000), x -> x::VARCHAR)",
    "SELECT list_cross_product(range(500000000)::DOUBLE[], range(500000000)::DOUBLE[])", "SELECT flatten([range(900000000), range(900000000)])",
    "SELECT json_array_length('[' || repeat('1,', 300000000) || '1]')", "SELECT repeat('[', 10000000)::JSON",
    "SELECT json_extract(repeat('[', 100000) || repeat(']', 100000), '$[0]')", "SELECT count(*) FROM json_each(repeat('[', 100000))",
    "SELECT struct_pack(a := range(900000000))", "SELECT count(DISTINCT hash(range)) FROM range(1000000000)",
    "SELECT bit_count(repeat('1', 900000000)::BIT)", "SELECT translate(repeat('a', 900000000), 'a', 'b')", "SELECT reverse(repeat('ä', 900000000))",
    "SELECT list(l) FROM (SELECT range(1000000) AS l FROM range(1000000))", "SELECT sum(a.range) FROM range(1000000000) a ASOF JOIN range(1000000000) b ON a.range >= b.range",
    "SELECT * FROM (VALUES (1)) t(a) POSITIONAL JOIN range(2000000000) ORDER BY 2", "SELECT * FROM range(300000000) a NATURAL JOIN range(300000000) b ORDER BY 1",
)  # fmt: skip


def escapes(secret: str, out: str) -> list[str]:
    """Statements that must not give anything but an error, or an answer without a secret."""
    found = [f"SELECT * FROM {reader}('{{secret}}')" for reader in _READERS]
    found += [form.format(name=name) for name in _CATALOGUES for form in ("FROM {name}()", "FROM {name}")]
    found += [f"SELECT current_setting('{name}')" for name in _SETTINGS]
    return [one.replace("{secret}", secret).replace("{out}", out) for one in (*found, *_STATEMENTS, *_FORMS)]
