"""When to measure: at every step until that has taken a moment in all, then as often as a share of the time allows."""

from time import perf_counter

FIRST = 32  # steps that are never spaced: most of what goes wrong shows early
# Nor those after them, until measuring has taken so many seconds in all: a short run is seen whole, a long one does
# not feel it.
SAMPLE_CREDIT, RECORD_CREDIT = 0.2, 0.8
ALWAYS = 1.0  # a share from which on every step is measured
SAMPLE_SHARE = 0.04  # of the allowed overhead, for norms: watching, writing and caches cost what can not be timed
RECORD_SHARE = 0.04  # for activations, histograms and the rules
HURRY_SAMPLES, HURRY_RECORDS = 0.05, 0.2  # seconds of measuring, when a loss is seen to rise
FEWEST_IN_AGE = 200  # records are at least this part of the run's age apart: a long run has some thousands of them


class Rhythm:
    """Asked at each step, told what a measurement has cost. One for each kind of measurement and optimizer."""

    def __init__(
        self, share: float, *, thins_out: bool = False, always: bool = False, num_first: int = FIRST,
        credit: float = 0.0,
    ) -> None:  # fmt: skip
        self._share = share
        self._always = always
        self._thins_out = thins_out
        self._num_first = num_first
        self._credit = credit if num_first else 0.0
        self._begun = perf_counter()
        self.due = 0.0 if share > 0 or always else float("inf")

    @property
    def has_credit(self) -> bool:
        return self._credit > 0

    def spent(self, seconds: float, now: float, ran: float = 1.0) -> None:
        """A measurement is over. On a busy machine it `ran` for a part of that time, which is taken off the credit."""
        self._num_first -= 1
        if self._num_first <= 0:
            self._credit -= seconds * ran
        if self._always or self._num_first > 0 or self._credit > 0:
            self.due = 0.0
            return
        spacing = seconds / self._share if self._share > 0 else float("inf")
        if self._thins_out:
            spacing = max(spacing, (now - self._begun) / FEWEST_IN_AGE)
        self.due = now + spacing

    def spent_later(self, seconds: float, now: float, ran: float = 1.0) -> None:
        """What measurements that were over before have cost once more: they are read some at a time."""
        if self._num_first <= 0:
            self._credit -= seconds * ran
        if self.due > 0 and self._share > 0:
            self.due = max(self.due, now) + seconds / self._share

    def hurry(self, seconds: float) -> None:
        """Measure at every step again, until that has taken so long."""
        if self.due < float("inf"):
            self._credit = max(self._credit, seconds)
            self.due = 0.0


def sample_rhythm(overhead: float, num_first: int = FIRST) -> Rhythm:
    return Rhythm(SAMPLE_SHARE * overhead, always=overhead >= ALWAYS, num_first=num_first, credit=SAMPLE_CREDIT)


def record_rhythm(overhead: float, num_first: int = FIRST) -> Rhythm:
    share, always = RECORD_SHARE * overhead, overhead >= ALWAYS
    return Rhythm(share, thins_out=True, always=always, num_first=num_first, credit=RECORD_CREDIT)
