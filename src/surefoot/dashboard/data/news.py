"""What has changed since somebody looked: in one run, or in the list of runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from surefoot.dashboard.data.cursor import as_text, from_text
from surefoot.dashboard.data.delta import delta
from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.data.findings import findings_of
from surefoot.dashboard.data.run import cursors
from surefoot.dashboard.data.run_cache import NoSuchRunError, Row, RunCache, Signature, signature_of
from surefoot.runlog.read.error import DAMAGE
from surefoot.runlog.read.follow import START, Cursor
from surefoot.runlog.read.run import Run

STATUS_SECONDS = 1.0  # a process may be gone without a trace in its files
FOLDER_SECONDS = 1.0
BETWEEN = "!"  # cursors of several runs; none has it

Message = tuple[str, str, dict[str, Any]]  # event, cursor, data


def is_same(one: Row | None, two: Row | None) -> bool:
    """As the page would see it: NaN is like NaN."""
    return one is two or encode(one) == encode(two)


class Told:
    """What one listener knows. `next` tells it the rest."""

    def __init__(self, cursor: str, read: Callable[[str, dict[str, Any]], tuple[str, list[Message]]]) -> None:
        self._cursor = cursor
        self._known: dict[str, Any] = {}
        self._read = read

    def next(self) -> list[Message]:
        self._cursor, messages = self._read(self._cursor, self._known)
        return messages


class ToldOfSeveral:
    """What one listener knows of several runs: a browser has few connections. Rows say whose they are."""

    def __init__(self, news: Mapping[str, RunNews | FolderNews], cursor: str) -> None:
        known = cursor.split(BETWEEN) if cursor.count(BETWEEN) == len(news) - 1 else [""] * len(news)
        self._cursors = dict(zip(news, known, strict=True))
        self._told = {name: one.since(self._cursors[name]) for name, one in news.items()}

    def next(self) -> list[Message]:
        found: list[Message] = []
        for name, told in self._told.items():
            for event, cursor, data in told.next():
                self._cursors[name] = cursor
                found.append((event, BETWEEN.join(self._cursors.values()), {**data, "run": name}))
        return found


class RunNews:
    """One run, read once for all who have read equally far."""

    def __init__(self, run_cache: RunCache, name: str) -> None:
        self._run_cache = run_cache
        self._name = name
        self._signature: Signature | None = None
        self._status = ""
        self._status_due = 0.0
        self._lock = threading.Lock()
        self._last: tuple[str, Any, tuple[str, list[Message]]] | None = None  # from a cursor, at a signature

    def look(self) -> bool:
        """Whether the files have changed, or the run's status has."""
        signature = signature_of(self._run_cache.folder / self._name)
        clock = time.monotonic()
        changed: bool = signature != self._signature
        if not changed and clock >= self._status_due and self._status in ("", "running"):
            try:
                changed = self._run_cache.open(self._name).status != self._status
            except NoSuchRunError:
                changed = self._status != "gone"
        if clock >= self._status_due or changed:
            self._status_due = clock + STATUS_SECONDS
        if changed:
            self._signature = signature
        return changed

    def since(self, cursor: str) -> Told:
        return Told(cursor, self._read)

    def _read(self, cursor: str, known: dict[str, Any]) -> tuple[str, list[Message]]:
        with self._lock:
            signature = self._signature  # before anything is read: what comes meanwhile is news for the next look
            try:
                run = self._run_cache.open(self._name)
            except NoSuchRunError as error:
                self._status = "gone"
                return cursor, [("status", cursor, {"run": self._name, "status": "gone", "reason": str(error)})]
            if self._last is None or self._last[:2] != (cursor, signature):
                self._last = cursor, signature, self._news(run, cursor)
            now, messages = self._last[2]
            row = self._run_cache.row(run)
            self._status = row["status"]
        if not is_same(known.get("row"), row):
            known["row"] = row
            messages = [*messages, ("status", now, row)]
        return now, messages

    def _news(self, run: Run, cursor: str) -> tuple[str, list[Message]]:
        if not cursor:  # from now on
            return as_text(cursors(run)), []
        before = from_text(cursor)
        now = dict(before)
        messages: list[tuple[str, dict[str, Any]]] = []
        for process in run:
            known: Cursor = before.get(process.name, START)
            try:
                news = process.after(known)
                now[process.name] = news.cursor
                messages += delta(process, known, news)
                if news.new_findings:
                    messages.append(("findings", {"findings": findings_of(run.name, process)}))
            except DAMAGE:  # also replaced, or gone, while it is read: the next look tells
                continue
        text = as_text(now)
        return text, [(event, text, data) for event, data in messages]


class FolderNews:
    def __init__(self, run_cache: RunCache) -> None:
        self._run_cache = run_cache
        self._rows: dict[str, Row] = {}
        self._due = 0.0
        self._lock = threading.Lock()

    def look(self) -> bool:
        if time.monotonic() < self._due:
            return False
        with self._lock:
            rows = {row["run"]: row for row in self._run_cache.rows()}
            changed = rows.keys() != self._rows.keys() or not all(map(is_same, rows.values(), self._rows.values()))
            self._rows = rows
            self._due = time.monotonic() + FOLDER_SECONDS
        return changed

    def since(self, cursor: str) -> Told:
        return Told(cursor, self._read)

    def _read(self, cursor: str, known: dict[str, Any]) -> tuple[str, list[Message]]:
        with self._lock:
            if not self._rows:
                self._rows = {row["run"]: row for row in self._run_cache.rows()}
            rows = self._rows
        seen: dict[str, Row] = known.get("rows", {})
        changed = [row for name, row in rows.items() if not is_same(seen.get(name), row)]
        gone = [name for name in seen if name not in rows]
        known["rows"] = rows
        return "", [("runs", "", {"runs": changed, "gone": gone})] if changed or gone else []
