"""The tables, and which versions of them this surefoot reads."""

SCHEMA_VERSION = 2

# Version 1 had meta, records and findings only. Tables that were added since (sealed, excerpts, segment_sums,
# checksums) need no new version: older readers do without them, and newer ones look whether they are there.
TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, step INTEGER, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS findings (
    id INTEGER PRIMARY KEY, rule TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL, why TEXT NOT NULL,
    fix TEXT NOT NULL, file TEXT, line INTEGER, step INTEGER NOT NULL, count INTEGER NOT NULL, evidence TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS excerpts (finding INTEGER PRIMARY KEY, first INTEGER NOT NULL, lines TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, place TEXT NOT NULL, UNIQUE (kind, name, place)
);
CREATE TABLE IF NOT EXISTS layouts (id INTEGER PRIMARY KEY, series BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, layout INTEGER NOT NULL, num_steps INTEGER NOT NULL,
    steps BLOB NOT NULL, times BLOB NOT NULL, vals BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE, num_rows INTEGER NOT NULL,
    first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, first_chunk INTEGER NOT NULL, last_chunk INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS segment_sums (
    file TEXT PRIMARY KEY, num_bytes INTEGER NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sealed (
    series INTEGER PRIMARY KEY, num_rows INTEGER NOT NULL, last_step INTEGER NOT NULL, last_time REAL NOT NULL,
    last_value REAL, low REAL, low_step INTEGER, high REAL, high_step INTEGER
);
CREATE TABLE IF NOT EXISTS edges (id INTEGER PRIMARY KEY, edges BLOB NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS hists (
    id INTEGER PRIMARY KEY AUTOINCREMENT, step INTEGER NOT NULL, time REAL NOT NULL, series INTEGER NOT NULL,
    edges INTEGER NOT NULL, counts BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, step INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL
);
"""

ADD_META = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
ADD_RECORD = "INSERT INTO records (kind, step, json) VALUES (?, ?, ?)"
FINDING_COLUMNS = ("rule", "severity", "message", "why", "fix", "file", "line", "step", "count", "evidence")
ADD_FINDING = (
    f"INSERT OR REPLACE INTO findings (id, {', '.join(FINDING_COLUMNS)}) "
    f"VALUES (?, {', '.join('?' for _ in FINDING_COLUMNS)})"
)
ADD_EXCERPT = "INSERT OR REPLACE INTO excerpts (finding, first, lines) VALUES (?, ?, ?)"
ADD_CHUNK = "INSERT INTO chunks (layout, num_steps, steps, times, vals) VALUES (?, ?, ?, ?, ?)"
ADD_EVENT = "INSERT INTO events (step, time, kind, text) VALUES (?, ?, ?, ?)"
ADD_EDGES = "INSERT OR IGNORE INTO edges (edges) VALUES (?)"
ADD_HIST = (
    "INSERT INTO hists (step, time, counts, series, edges) SELECT ?, ?, ?, series.id, edges.id FROM series, edges "
    "WHERE series.kind = 'hist' AND series.name = ? AND series.place = '' AND edges.edges = ?"
)
ADD_HIST_SERIES = "INSERT OR IGNORE INTO series (kind, name, place) VALUES ('hist', ?, '')"
# What a tail may hold, by its place here: new ones go to the end.
ORDERS = (ADD_META, ADD_RECORD, ADD_FINDING, ADD_EXCERPT, ADD_EVENT, ADD_EDGES, ADD_HIST_SERIES, ADD_HIST)
ADD_SEGMENT_SUM = "INSERT INTO segment_sums (file, num_bytes, crc) VALUES (?, ?, ?)"
# What segments hold of each series, so that a list of runs need not open them; low and high of finite values only.
ADD_SEALED = """
INSERT INTO sealed (series, num_rows, last_step, last_time, last_value, low, low_step, high, high_step)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (series) DO UPDATE SET
    num_rows = num_rows + excluded.num_rows, last_step = excluded.last_step, last_time = excluded.last_time,
    last_value = excluded.last_value,
    low_step = CASE WHEN low IS NULL OR excluded.low < low THEN excluded.low_step ELSE low_step END,
    low = CASE WHEN low IS NULL OR excluded.low < low THEN excluded.low ELSE low END,
    high_step = CASE WHEN high IS NULL OR excluded.high > high THEN excluded.high_step ELSE high_step END,
    high = CASE WHEN high IS NULL OR excluded.high > high THEN excluded.high ELSE high END
"""
