"""Events in the order in which they happened, kept light until a step is recorded."""

from collections.abc import Callable, Hashable, Sequence

from surefoot.facts import Event

KEPT_EVENTS = 2048  # a bound for optimizers that never step again

Build = Callable[[int], Event]  # from the event's place on the clock to its fact


class Journal:
    """An event is a key, which is part of the step's shape, and a way to build its fact if that is wanted."""

    def __init__(self) -> None:
        self.clock = 0
        self.listener: Callable[[int, Hashable, Build], None] | None = None  # told of each event when it is noted
        self._events: list[tuple[int, Hashable, Build]] = []

    def __len__(self) -> int:
        return len(self._events)

    def note(self, key: Hashable, build: Build) -> int:
        self.clock += 1
        self._events.append((self.clock, key, build))
        at = self.clock
        if self.listener is not None:
            self.listener(at, key, build)
        return at

    def since(self, at: int) -> Sequence[tuple[int, Hashable, Build]]:
        """The events after `at`."""
        events = self._events
        first = len(events)
        while first and events[first - 1][0] > at:
            first -= 1
        return events[first:]

    def forget(self, until: int) -> None:
        """Drop what every optimizer has already seen."""
        events = self._events
        if len(events) > KEPT_EVENTS:
            del events[: len(events) - KEPT_EVENTS // 2]
        if events and events[0][0] <= until:
            self._events = [event for event in events if event[0] > until]
