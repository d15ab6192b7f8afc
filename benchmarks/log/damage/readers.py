"""Everything that reads a run log, each asked the same way of a damaged and of a whole run."""

import contextlib
import io
import json
import re
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from starlette.testclient import TestClient

import surefoot as sf
from surefoot.cli import query_command
from surefoot.cli.main import main
from surefoot.dashboard.data import run_cache
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.dashboard.server.api import runs
from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from surefoot.runlog.box.boxes import Boxes
from surefoot.runlog.exchange.tensorboard import read_points
from surefoot.runlog.read import RunLogError

SALVAGED = "salvaged"
INTERNAL = (
    "id",
    "checksums",
    "schema_version",
    "beat",
    "row",
    "order",
    "commit",
    "writer",
    "damage",
)  # of meta: counters, who wrote, what readers said
TOLD = re.compile(r"^.*(?:,unreadable,| (?:damaged|incomplete) ).*$", re.MULTILINE)  # by an answer itself
RAW = re.compile(r"Traceback|Error:|sqlite3\.|duckdb\.|struct\.error|NoneType")


@dataclass(frozen=True)
class Reading:
    """What a reader answered, as rows that can be counted; what it said was wrong; what it should never show."""

    rows: Counter[str]
    said: str = ""
    raw: str = ""


def read(name: str, log: Path, run: str, out: Path) -> Reading:
    """One reader's answer; an exception that is not ours to show is `raw`."""
    try:
        return READERS[name](log, run, out)
    except (RunLogError, KeyError) as error:
        return Reading(Counter(), said=str(error))
    except BaseException:
        return Reading(Counter(), raw=traceback.format_exc())


class _WarmBoxes(Boxes):
    """As the dashboard keeps them: starting one takes ten times as long as most answers."""

    def close(self) -> None:
        """They are used again; what ends this process ends them."""


@cache
def _boxes(memory: str) -> Boxes:
    return _WarmBoxes(memory)


query_command.Boxes = _boxes  # type: ignore[misc, assignment]


def _api(log: Path, run: str, out: Path) -> Reading:
    rows: Counter[str] = Counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = sf.open(log)[run]
        for process in found:
            for series, column in process.columns().items():
                zipped = zip(column.steps.tolist(), column.times.tolist(), column.values.tolist(), strict=True)
                rows.update(f"{process.name} {series.label} {row}" for row in zipped)
            rows.update(f"{process.name} {key}={value}" for key, value in process.meta.items() if key not in INTERNAL)
            rows.update(f"{process.name} {record}" for record in process.records())
            rows.update(f"{process.name} {finding}" for finding in process.findings())
            rows.update(f"{process.name} {replace(event, id=0)}" for event in process.events())
    return Reading(rows, " ".join([*(str(one.message) for one in caught), *found.problems]))


def _parts(log: Path, run: str, out: Path) -> Reading:
    """What else Python is given: settings, media, news since the start, and a series in ranges."""
    found = sf.open(log)[run]
    rows: Counter[str] = Counter(f"{name} {one}" for name, one in found.settings.items())
    said = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for process in found:
            for medium in process.media():
                try:
                    rows[f"{process.name} {medium.name} {medium.step} {zlib.crc32(medium.read())}"] += 1
                except RunLogError as error:
                    said += str(error)
            for series, column in process.after().columns.items():
                zipped = zip(column.steps.tolist(), column.values.tolist(), strict=True)
                rows.update(f"news {process.name} {series.label} {row}" for row in zipped)
        rows.update(map(str, found.scalars("loss").values.tolist()))
        found.buckets("loss", 20)
    return Reading(rows, " ".join([said, *found.problems]))


def _labels(log: Path, run: str, out: Path) -> Reading:
    found = sf.open(log)[run]
    return Reading(Counter([str(found.labels)]), " ".join(found.problems))


def _command(*args: str) -> Callable[[Path, str, Path], Reading]:
    def ask(log: Path, run: str, out: Path) -> Reading:
        given = [arg.format(run=run, out=out) for arg in args]
        told, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(said), warnings.catch_warnings():
            warnings.simplefilter("always")
            try:
                status = main([*given, "--log", str(log)] if given[0] != "runs" else [*given, str(log)])
            except SystemExit as end:
                status = int(end.code or 0)
        text = told.getvalue()
        text += _exported(out)
        words = said.getvalue()
        if given[0] == "replay":  # whose answer is on stderr, too
            text += "".join(line for line in words.splitlines(keepends=True) if not line.startswith("surefoot: "))
            words = "".join(line for line in words.splitlines(keepends=True) if line.startswith("surefoot: "))
        words += "" if status in (0, 1) else f" (exit status {status})"
        words += " ".join(TOLD.findall(text))
        raw = words if RAW.search(words) else ""
        return Reading(Counter(text.splitlines()), words, raw)

    return ask


def _exported(out: Path) -> str:
    """What a command has written, as lines."""
    if out.is_dir():
        points = [point for file in sorted(out.rglob("*.tfevents.*")) for point in read_points(file, _not_whole)]
        return "\n".join(map(str, points))
    if not out.exists():
        return ""
    if out.read_bytes()[:4] == b"PAR1":
        return "\n".join(map(str, duckdb.sql(f"SELECT * FROM read_parquet('{out}')").fetchall()))
    return out.read_text(encoding="utf-8")


def _not_whole(problem: str) -> None:
    raise AssertionError(problem)


def _salvaged(log: Path, run: str, out: Path) -> Reading:
    """What is left of a run that was salvaged."""
    said = _command("doctor", "{run}", "--salvage", "-o", str(log / SALVAGED))(log, run, log / "nothing")
    if said.raw or not (log / SALVAGED).exists():
        return Reading(Counter(), said.said, said.raw)
    found = _api(log, SALVAGED, out)
    return Reading(found.rows, f"{said.said} {found.said}")


run_cache.SPARK_SECONDS = 3600.0  # a busy machine would leave curves for later, and answers would differ


def _dashboard(log: Path, run: str, out: Path) -> Reading:
    runs._CENSUSES = SeriesIndexes()  # another run has stood at this place
    auth = Auth()
    app, _ = make_app(log, auth)
    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    assert client.get(f"/?token={auth.token}", follow_redirects=False).status_code == 303
    rows: Counter[str] = Counter()
    said, raw = "", ""
    for place in (
        "/api/runs", f"/api/runs/{run}", f"/api/runs/{run}/findings", f"/api/runs/{run}/hists?name=weights",
        f"/api/runs/{run}/series?name=loss&name=lr&name=val/loss&buckets=50", f"/api/runs/{run}/media",
        "/api/columns", f"/api/series?run={run}&name=loss", f"/api/compare?run={run}&run=20260115-231405-other-3f9c00",
    ):  # fmt: skip
        reply = client.get(place)
        if reply.status_code >= 500:
            raw += f"{place}: {reply.status_code} {reply.text}"
        elif reply.status_code >= 400:
            said += reply.text
        else:
            answer = reply.json()
            said += " ".join(_problems(answer))
            rows[f"{place} {json.dumps(_without_clock(answer), sort_keys=True)}"] += 1
    return Reading(rows, said, raw)


def _problems(answer: Any) -> list[str]:
    if isinstance(answer, dict):
        rows = [row for row in answer.get("runs", []) if isinstance(row, dict)]
        return list(answer.get("problems", [])) + [row["reason"] for row in rows if row.get("status") == "unreadable"]
    return []


def _without_clock(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: _without_clock(value) for key, value in answer.items() if key not in ("cursor", "now", "problems")}
    return [_without_clock(one) for one in answer] if isinstance(answer, list) else answer


_ASKED = "select name, rank, step, time, value from scalars order by all"
READERS: dict[str, Callable[[Path, str, Path], Reading]] = {
    "sf.open": _api,
    "parts": _parts,
    "labels": _labels,
    "runs": _command("runs", "--format", "csv"),
    "show": _command("show", "{run}"),
    "query scalars": _command("query", _ASKED, "--format", "csv"),
    "query others": _command(
        "query", "select (select list([step, loss, lr] order by step) from steps), (select count(*) from hists), "
        "(select sum(count) from hists), (select list(message order by step) from findings), "
        "(select count(*) from events), (select list([name, value] order by name) from settings), "
        "(select list(name order by step, name) from media), (select list(number order by step) from cells)",
        "--format", "json",
    ),
    "report": _command("report", "{run}", "-o", "{out}"),
    "replay": _command("replay", "{run}", "--format", "json", "--fail-on", "never"),
    "export": _command("export", "{run}", "--to", "csv", "-o", "{out}"),
    "export parquet": _command("export", "{run}", "--to", "parquet", "-o", "{out}"),
    "export tensorboard": _command("export", "{run}", "--to", "tensorboard", "-o", "{out}"),
    "doctor": _command("doctor", "{run}"),
    "doctor --salvage": _salvaged,
    "compare": _command("compare", "{run}", "20260115-231405-other-3f9c00"),
    "dashboard": _dashboard,
}  # fmt: skip
SUBSETS = frozenset({  # a row that a whole run does not have is a wrong number
    "sf.open", "parts", "query scalars", "export", "export parquet", "export tensorboard", "doctor --salvage"
})  # fmt: skip


def judge(name: str, whole: Reading, damaged: Reading) -> str:
    """What is wrong with an answer; "" if nothing is."""
    if damaged.raw:
        return f"raw exception: {damaged.raw[-1500:]}"
    known = whole.rows
    new = {row: num for row, num in damaged.rows.items() if num > known[row]}
    if name in SUBSETS and new:
        return f"wrong number: {list(new)[:3]}"
    is_told = damaged.said != whole.said and damaged.said.strip()
    if damaged.rows != whole.rows and not is_told:
        gone = [row for row, num in known.items() if num > damaged.rows[row]]
        return f"silent: {len(new)} rows more, such as {list(new)[:1]}, {len(gone)} fewer, such as {gone[:1]}"
    return ""
