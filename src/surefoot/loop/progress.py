"""A bar on a terminal, a line that changes in a notebook, lines in a log file, nothing with `progress=False`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop

REDRAW_SECONDS = 0.2
LINE_SECONDS = 30.0  # between two lines in a log


class Progress:
    """`is_on` None: a bar if there is a terminal, lines otherwise; True: the same; False: nothing."""

    def __init__(self, is_on: bool | None) -> None:
        self.is_on = is_on is not False
        self._bar: Any = None
        self._cell: NotebookLine | None = None
        self._last: tuple[Loop, float, float] | None = None  # what a cell is left with
        self._task: Any = None
        self._due = 0.0
        self._started = 0.0
        self._first = 0
        self._planned: int | None = None
        self.num_told = 0  # updates that the run was summed up after

    @contextmanager
    def over(self, num_updates: int, planned: int | None) -> Iterator[None]:
        """While the batches of a feed are trained on."""
        self._started, self._first, self._planned = perf_counter(), num_updates, planned
        self._cell = NotebookLine.here() if self.is_on else None
        is_live = self._cell is not None or sys.stderr.isatty()
        self._due = self._started + (REDRAW_SECONDS if is_live else LINE_SECONDS)
        if not (self.is_on and sys.stderr.isatty()):
            try:
                yield
            finally:
                self._show_last()
            return
        with _bar() as self._bar:
            self._task = self._bar.add_task("", total=planned, completed=num_updates, told="")
            try:
                yield
            finally:
                self._bar = None

    def update(self, loop: Loop, loss: float, lr: float) -> None:
        now = perf_counter()
        if self._cell is not None:
            self._last = loop, loss, lr
        if now < self._due:
            return
        told = self._told(loop, loss, lr, now)
        if self._bar is not None:
            self._due = now + REDRAW_SECONDS
            self._bar.update(self._task, completed=loop.num_updates, told=told)
        elif self._cell is not None:
            self._due = now + REDRAW_SECONDS
            self._cell.show(loop.num_updates, self._planned, told)
        else:
            self._due = now + LINE_SECONDS
            of = f" of {self._planned}" if self._planned else ""
            self.say(f"update {loop.num_updates}{of}, {told}")

    def _show_last(self) -> None:
        if self._cell is not None and self._last is not None:
            loop, loss, lr = self._last
            self._last = None
            self._cell.show(loop.num_updates, self._planned, self._told(loop, loss, lr, perf_counter()))

    def say(self, text: str) -> None:
        if self.is_on:
            print(f"surefoot: {text}", file=sys.stderr, flush=True)

    def _told(self, loop: Loop, loss: float, lr: float, now: float) -> str:
        rate = (loop.num_updates - self._first) / max(now - self._started, 1e-9)
        found = sum(finding.severity != "note" for finding in loop.findings)
        findings = f", {found} finding{'s' * (found != 1)}" if found else ""
        return f"epoch {loop.epoch + 1}, loss {loss:.4g}, lr {lr:.3g}, {rate:.1f} updates/s{findings}"


class NotebookLine:
    """One output of a cell, which changes; there is none before the first."""

    def __init__(self, display: Any, html: Any) -> None:
        self._display, self._html = display, html
        self._handle: Any = None

    @classmethod
    def here(cls) -> NotebookLine | None:
        """None outside of a notebook."""
        ipython: Any = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
        if getattr(shell, "kernel", None) is None:
            return None
        from IPython.display import HTML, display

        return cls(display, HTML)

    def show(self, num_updates: int, planned: int | None, told: str) -> None:
        bar = f'<progress value="{num_updates}" max="{planned}"></progress> ' if planned else ""
        text = f"{num_updates}/{planned}" if planned else f"update {num_updates}"
        shown = self._html(f"<div>{bar}{text}, {told}</div>")
        if self._handle is None:
            self._handle = self._display(shown, display_id=True)
        else:
            self._handle.update(shown)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(bar_width=24), MofNCompleteColumn(), TextColumn("{task.fields[told]}"), TimeRemainingColumn(),
        console=Console(stderr=True), transient=False,
    )  # fmt: skip
