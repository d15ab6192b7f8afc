"""Which updates are measured, decided by their number and by the size of the model.

Nothing is timed: two equal runs are measured at the same updates, on a busy machine as on a quiet one, and samples lie
evenly over a run of any length. Most of what goes wrong shows early, so the first updates are all measured.

What a sample costs grows with the number of tensors, whose elements are mostly left alone (`subset.py`). What a step
costs grows with their elements, too. So the more elements there are, in all and in a tensor, the smaller is the share
of the step that a sample takes, and the closer samples may lie.
"""

from __future__ import annotations

# Updates that are all recorded, of models with up to so many tensors: rules judge records, some of them many in a row.
FIRST = ((16, 96), (64, 64))
FIRST_OF_WIDE = 48  # of models with more
FIRST_OF_LATER = 4  # of optimizers after the first ones: some programs make one for each parameter
MOST_FIRST = 8  # optimizers that have `FIRST`
MOST_LATER = 64  # of those after them only one in so many has first updates: programs may make them all the time

# Primes: an epoch, or a cycle of several losses, is seldom a multiple of one. Else all samples could be of one batch.
SPACINGS = (
    (100_000, 1_000, 61),  # fewer elements in all, or in a tensor on average: steps well below a millisecond
    (2_000_000, 8_000, 31),
)
WIDEST_MODEL_SPACING = 17
EARLY = ((3, 16), (10, 64))  # up to so many times as many updates, one in so many is recorded
RECORD_EVERY = 17  # samples: a record costs several times as much, and is judged by all rules
HISTOGRAM_EVERY = 8  # records; of the first ones, which lie close, a fourth of that
CLOSE_RECORDS = 64
USUAL_OVERHEAD = 0.02  # for which spacings are given


class Schedule:
    """Of one optimizer. Updates are counted from 1; with an overhead of 1 all of them are measured, with 0 none."""

    def __init__(self, num_elements: int, num_tensors: int, overhead: float, num_first: int = FIRST_OF_WIDE) -> None:
        self._is_on = overhead > 0
        self._num_first = num_first
        if overhead >= 1:
            self.spacing = self.record_spacing = 1
        elif self._is_on:
            scaled = spacing_for(num_elements, num_tensors) * USUAL_OVERHEAD / overhead
            self.spacing = max(1, round(scaled)) | 1  # odd, as primes are
            self.record_spacing = RECORD_EVERY * self.spacing

    def is_sampled(self, update: int) -> bool:
        return self._is_on and (update % self.spacing == 0 or self.is_recorded(update))

    def next_sampled(self, update: int) -> int:
        """The first sampled update that is not before this one; 0 if none is sampled."""
        if not self._is_on:
            return 0
        while not self.is_sampled(update):
            update += 1
        return update

    def is_recorded(self, update: int) -> bool:
        if not self._is_on or update <= self._num_first:
            return self._is_on
        spacing = self.record_spacing
        if self._num_first > FIRST_OF_LATER:
            spacing = min([spacing, *(early for times, early in EARLY if update <= times * self._num_first)])
        return update % spacing == 0


def spacing_for(num_elements: int, num_tensors: int) -> int:
    """Updates from one sample to the next, with the usual overhead."""
    for most_elements, most_in_a_tensor, spacing in SPACINGS:
        if num_elements < most_elements or num_elements < most_in_a_tensor * num_tensors:
            return spacing
    return WIDEST_MODEL_SPACING


def num_first_updates(optimizer: int, num_tensors: int = 0) -> int:
    """How many of an optimizer's first updates are recorded, by its number in the program and what it holds."""
    if optimizer <= MOST_FIRST:
        return next((first for most, first in FIRST if num_tensors <= most), FIRST_OF_WIDE)
    return FIRST_OF_LATER if optimizer <= MOST_LATER or optimizer % MOST_LATER == 0 else 0


def has_histograms(record: int) -> bool:
    """Whether this record of an optimizer, counted from 1, has them."""
    return record % (HISTOGRAM_EVERY if record > CLOSE_RECORDS else 4 * HISTOGRAM_EVERY) == 1
