"""Events in the order in which they happened, kept light until a step is recorded."""

from collections.abc import Callable, Hashable, Sequence

from surefoot.facts import Event

KEPT_EVENTS = 2048  # a bound for optimizers that never step again
TIDY_AT = 256  # events; fewer are not worth looking for what can be dropped

Build = Callable[[int], Event]  # from the event's place on the clock to its fact


class Journal:
    """An event is a key, which is part of the step's shape, and a way to build its fact if that is wanted."""

    def __init__(self) -> None:
        self.clock = 0
        self.listener: Callable[[int, Hashable, Build], None] | None = None  # told of each event when it is noted
        self.events: list[tuple[int, Hashable, Build]] = []
        self._tidy_at = TIDY_AT

    def __len__(self) -> int:
        return len(self.events)

    def since(self, at: int) -> Sequence[tuple[int, Hashable, Build]]:
        """The events after `at`."""
        events = self.events
        first = len(events)
        while first and events[first - 1][0] > at:
            first -= 1
        return events[first:]

    @property
    def is_long(self) -> bool:
        """Whether it has grown to twice of what was needed last."""
        return len(self.events) > self._tidy_at

    def forget(self, until: int) -> None:
        """Drop what every optimizer has already seen."""
        events = self.events
        if len(events) > KEPT_EVENTS:
            del events[: len(events) - KEPT_EVENTS // 2]
        if events and events[0][0] <= until:
            self.events = [event for event in events if event[0] > until]
        self._tidy_at = max(TIDY_AT, 2 * len(self.events))
