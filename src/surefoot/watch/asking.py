"""Which probes are asked: all in armed windows, those that measure where signals want it, a few in every window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.arming import Arming
    from surefoot.watch.tap import Tap

METHODS = (  # of probes, that are called while the program runs
    "optimizer_made", "backward_begins", "backward_ends", "step_begins", "step_facts", "step_starts", "step_ends",
    "condition", "window_opens",
)  # fmt: skip

Calls = list[tuple[str, Callable[..., Any]]]  # each with its probe's name


class Asking:
    def __init__(self, tap: Tap, arming: Arming) -> None:
        self._tap, self._arming = tap, arming
        self._all: defaultdict[str, Calls] = defaultdict(list)
        self._measuring: defaultdict[str, Calls] = defaultdict(list)
        self._always: defaultdict[str, Calls] = defaultdict(list)
        self.has_constant = False  # some probe wants to be asked in every window
        self.needs_optimizers = False  # and one of them not before gradients were accounted for

    def start(self, probes: Sequence[Probe]) -> None:
        """A probe is asked what its class answers; what it leaves alone costs nothing."""
        for method in METHODS:
            asked = [p for p in probes if getattr(type(p), method) is not getattr(Probe, method)]
            self._all[method] = [(p.name, getattr(p, method)) for p in asked]
            self._measuring[method] = [(p.name, getattr(p, method)) for p in asked if p.measures]

    def in_every_window(self, probe: Probe, methods: Sequence[str], *, observing: bool) -> None:
        self.has_constant = True
        self.needs_optimizers = self.needs_optimizers or not observing
        for method in methods:
            if all(name != probe.name for name, _ in self._always[method]):
                self._always[method].append((probe.name, getattr(probe, method)))

    def is_constant(self, method: str) -> bool:
        """Whether some probe wants to be asked it in every window."""
        return bool(self._always[method])

    def is_due(self, method: str) -> bool:
        return self._tap.armed or self._arming.is_measured or bool(self._always[method])

    def ask(self, method: str, *args: Any) -> list[Any]:
        """All probes in an armed window, else those that want to be asked in every one."""
        if self._tap.armed:
            return self.ask_all(method, *args)
        asked = self._always[method]
        if self._arming.is_measured:
            asked = [*asked, *self._measuring[method]]
        return [self._tap.attempt(name, call, *args) for name, call in asked]

    def ask_all(self, method: str, *args: Any) -> list[Any]:
        return [self._tap.attempt(name, call, *args) for name, call in self._all[method]]

    def ask_constant(self, method: str, *args: Any) -> None:
        for name, call in self._always[method]:
            self._tap.attempt(name, call, *args)

    def of_every_window(self, method: str, answers: tuple[Any, ...]) -> tuple[Any, ...]:
        """What probes answered that are asked in every window."""
        if not self._tap.armed or not self._always[method]:
            return answers if self._always[method] else ()
        names = {name for name, _ in self._always[method]}
        return tuple([answer for answer, (name, _) in zip(answers, self._all[method], strict=True) if name in names])
