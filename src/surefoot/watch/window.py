"""The table of windows: which the optimizer has had before, what stands for them in the log, and which to arm.

A window is known by its *signature*: the tokens of its events and what its gradients went through. One that is known
and not due is only counted. Graphs, values and forwards are read in *armed* windows alone: the first ones, those after
a window that is new, and an even sample whose steps depend on nothing but the update's number and the model's size.
"""

from __future__ import annotations

from collections.abc import Hashable

FIRST_WINDOWS = 32  # of each optimizer, armed and recorded whatever they look like
FEW_FIRST = 4  # of optimizers beyond the first ones: programs that make many make them all alike
EARLY_OPTIMIZERS = 8
FIRST_ALIKE = 3  # of each kind, recorded: rules wait until a thing has happened again
SPACINGS = ((100_000, 256), (2_000_000, 128))  # elements of the parameters below which one in so many is sampled
WIDE_MODEL_SPACING = 64
SAMPLE_LENGTH = 2  # windows in a row: some things show in two only
FREE_ARMINGS = 64  # for new windows; beyond that a program makes ever new ones, and they are thinned
KEPT = 4096  # signatures
RECORDED_WITHOUT_RATE = 4  # windows in a row whose rate is not above zero; the first may just have changed its sign


class Seen:
    """What is known of the windows with one signature."""

    __slots__ = ("count", "record")

    def __init__(self) -> None:
        self.count = 0
        self.record = 0  # index of the last recorded step that had it


class Windows:
    """Of one optimizer."""

    def __init__(self, optimizer: int, num_elements: int) -> None:
        self.num_first = FIRST_WINDOWS if optimizer <= EARLY_OPTIMIZERS else FEW_FIRST
        self.spacing = next((spacing for most, spacing in SPACINGS if num_elements < most), WIDE_MODEL_SPACING)
        self.repeats = 0  # steps since its last record that looked like one recorded before
        self.alike: dict[int, int] = {}  # by record: steps since the last record that it stands for
        self.is_new = False  # the last window was, or had something that must be seen closely
        self.quiet_until = 0  # the next update whose window may be armed or measured
        self.num_without_rate = 0  # steps in a row at which the rate was 0 or below
        self.wanted_at = 0  # the update before which signals want to see a window
        self.accumulates = 1  # most micro-batches of one line that a step has used
        self._seen: dict[Hashable, Seen] = {}
        self._num_new = 0
        self._closely: dict[Hashable, Seen] = {}  # by signature and what was read in armed windows

    def meet(self, signature: Hashable) -> Seen:
        """The window that ends now."""
        seen = self._seen.get(signature)
        if seen is None:
            if len(self._seen) >= KEPT:
                self._seen.clear()
            seen = self._seen[signature] = Seen()
            self._num_new += 1
        seen.count += 1
        self.is_new = seen.count == 1 and (self._num_new <= FREE_ARMINGS or not self._num_new & (self._num_new - 1))
        return seen

    def meet_closely(self, signature: Hashable, details: Hashable) -> Seen:
        """An armed window, also by what was read in it."""
        if len(self._closely) >= KEPT:
            self._closely.clear()
        seen = self._closely.setdefault((signature, details), Seen())
        seen.count += 1
        return seen

    def count(self, seen: Seen) -> None:
        """The window that ends is like one that was recorded."""
        self.repeats += 1
        self.alike[seen.record] = self.alike.get(seen.record, 0) + 1

    def note_sign(self, rate: float) -> None:
        """The rate is not above zero, or comes back: the first windows that end so must be recorded.

        How long it stays at 0 decides: so ever fewer of the windows after them are recorded, too.
        """
        number = self.num_without_rate = self.num_without_rate + 1 if rate <= 0 else 0
        self.is_new = self.is_new or number <= RECORDED_WITHOUT_RATE or (rate == 0 and not number & (number - 1))

    def recorded(self, index: int, *seen: Seen) -> None:
        self.repeats, self.alike = 0, {}
        for one in seen:
            one.record = index
