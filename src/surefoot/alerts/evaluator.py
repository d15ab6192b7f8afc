"""From what happens in a run to the alerts that are due. No clock, no thread: live and old runs get the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surefoot.alerts.alert import Alert, Found, of_expression, of_finding
from surefoot.alerts.expression import Book, Watcher, parse
from surefoot.alerts.limit import Limit
from surefoot.alerts.when import Wanted

KNOWN_ROWS = 4096  # a program that logs other names every time must not fill the memory


class AlertEvaluator:
    """`limit` tells what was held back."""

    def __init__(self, wanted: Wanted) -> None:
        self.limit = Limit()
        self._wanted = wanted
        self._book = Book()
        self._watchers = [Watcher(parse(text, self._book)) for text in wanted.expressions]
        self._clocked = [watcher for watcher in self._watchers if watcher.expression.uses_clock]
        self._by_names: dict[tuple[str, ...], list[Watcher]] = {}

    @property
    def has_expressions(self) -> bool:
        return bool(self._watchers)

    @property
    def names(self) -> frozenset[str] | None:
        """Of the series that matter; None: all of them."""
        if any(not watcher.expression.names for watcher in self._watchers):
            return None
        return frozenset(self._book.series)

    @property
    def unseen(self) -> list[str]:
        return self._book.unseen

    def row(self, names: tuple[str, ...], step: int, time: float, values: Sequence[float]) -> list[Alert]:
        """What was logged together."""
        watchers = self._by_names.get(names)
        if watchers is None:
            watchers = self._concerned(names)
        if not watchers:
            return []
        self._book.add(names, step, time, values)
        return self._due(watchers)

    def tick(self, time: float) -> list[Alert]:
        """Time passes, and nothing is logged."""
        if not self._clocked:
            return []
        self._book.now = max(self._book.now, time)
        return self._due(self._clocked)

    def finding(self, found: Found, time: float) -> list[Alert]:
        if not self._wanted.wants(found.rule, found.severity):
            return []
        alert = of_finding(found, time)
        return [alert] if self.limit.allows(alert.cause, time) else []

    def _concerned(self, names: tuple[str, ...]) -> list[Watcher]:
        if len(self._by_names) >= KNOWN_ROWS:
            self._by_names.clear()
        found = self._by_names[names] = [
            watcher
            for watcher in self._watchers
            if not watcher.expression.names or not watcher.expression.names.isdisjoint(names)
        ]
        return found

    def _due(self, watchers: Iterable[Watcher]) -> list[Alert]:
        book = self._book
        due = []
        for watcher in watchers:
            if watcher.look(book):
                text = watcher.expression.text
                if self.limit.allows(text, book.now):
                    values = {name: book.series[name].value for name in sorted(watcher.expression.names)}
                    due.append(of_expression(text, values, book.step, book.now))
        return due
