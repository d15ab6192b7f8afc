"""Attacks on SQL and on the dashboard's server; their figures go into docs/reliability.md.

python -m benchmarks.door.prove                                  # all of it; writes the page
python -m benchmarks.door.prove --requests 400 --connections 100 --no-sql   # some of it; nothing is written
"""

# ruff: noqa: E501 - the text of a page

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchmarks.door import crowd, fuzz, sql
from benchmarks.door.server import dashboard
from benchmarks.log.page import RELIABILITY, put
from surefoot.dashboard.server.connection import MOST, REQUEST_SECONDS

NUM_REQUESTS = 20_000
NUM_CONNECTIONS = 1_000
TEXT = """## SQL and the server under attack

Written by `make prove-door`, on {machine}.

{sql}
{fuzz}
{crowd}
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=NUM_REQUESTS)
    parser.add_argument("--connections", type=int, default=NUM_CONNECTIONS)
    parser.add_argument("--no-sql", action="store_true")
    options = parser.parse_args(argv)
    asked = None if options.no_sql else sql.attack()
    with tempfile.TemporaryDirectory() as folder, dashboard(Path(folder)) as target:
        fuzz.fuzz(target, min(400, options.requests), seed=1)  # what is loaded once is loaded
        before = target.megabytes()
        fuzzed = fuzz.fuzz(target, options.requests)
        grown = target.megabytes() - before
        crowded = crowd.crowd(target, options.connections)
        said = list(target.said)
    wrong = [*([] if asked is None else asked.wrong), *fuzzed.wrong, *crowded.wrong, *(f"console: {s}" for s in said)]
    told = TEXT.format(
        machine=f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, DuckDB {duckdb.__version__}",
        sql="" if asked is None else _sql(asked), fuzz=_fuzz(fuzzed, grown, len(said)), crowd=_crowd(crowded),
    )  # fmt: skip
    sys.stdout.write(told + "".join(f"WRONG: {one}\n" for one in wrong))
    if asked is not None and options.requests >= NUM_REQUESTS and options.connections >= NUM_CONNECTIONS:
        put("door", told, RELIABILITY)
    return int(bool(wrong))


def _sql(asked: sql.Outcome) -> str:
    ends = "".join(f"| {end} | {num} |\n" for end, num in sorted(asked.ends.items()))
    return (
        f"**SQL.** {asked.num_statements} statements made to read files, settings, secrets or the environment, to write, or to take "
        f"the machine's memory and time, run as the dashboard runs queries, with {sql.MEMORY} and {sql.SECONDS:g} s each; after each of "
        f"them an ordinary query was asked. {len(asked.wrong)} read or changed anything they should not. The largest process had "
        f"{asked.largest_megabytes:.0f} MB resident (the system's limit is the memory plus 1 GiB of room), the longest statement took {asked.longest_seconds:.1f} s.\n\n| end | statements |\n|---|---|\n{ends}"
    )


def _fuzz(fuzzed: fuzz.Outcome, grown: float, num_said: int) -> str:
    statuses = "".join(f"| {status} | {num:,} |\n" for status, num in sorted(fuzzed.statuses.items()))
    return (
        f"**Requests.** {fuzzed.num_requests:,} requests over raw sockets, made of right parts, wrong parts and noise; four of ten without the "
        f"cookie. {len(fuzzed.wrong)} were answered with a server error, left hanging, or answered with something that a stranger may not see; `closed` got no answer within 3 s, as requests that end in the middle, and were closed. "
        f"Memory grew by {grown:.1f} MB; {num_said} lines were written to the console.\n\n| status | answers |\n|---|---|\n{statuses}"
    )


def _crowd(crowded: crowd.Crowd) -> str:
    return (
        f"**Connections.** {crowded.num:,} connections that say nothing, or begin a request and do not go on. The server held {crowded.most_held} at "
        f"once (it lets {MOST} stay, and accepts up to {crowd.BACKLOG} more in one go before others have to leave), answered whole requests meanwhile in at most {crowded.slowest_seconds:.2f} s, and had closed all but "
        f"{crowded.num_left} when it was looked at {crowd.SLACK_SECONDS:g} s after the {REQUEST_SECONDS:g} s for a request were over."
    )


if __name__ == "__main__":
    sys.exit(main())
