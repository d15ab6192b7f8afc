"""What was last read of a line's loss stands for its backwards in windows that are not read closely."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from surefoot.facts import LossFacts

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward


class Read(NamedTuple):
    loss: LossFacts
    factor: float  # at the root, as it is read in every window
    has_varied: bool  # how many items a loss of so many rows is taken over


class LastRead:
    """By line and number of rows: micro-batches of one line may differ in size."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Read] = {}

    def remember(self, backward: Backward) -> None:
        if backward.loss is None:
            return
        key = (id(backward.site), backward.num_rows)
        known = self._known.get(key)
        has_varied = known is not None and (known.has_varied or _items(known.loss) != _items(backward.loss))
        self._known[key] = Read(backward.loss, backward.factor, has_varied)

    def of(self, backward: Backward) -> LossFacts | None:
        """None where the loss now surely is another one, in a way that only reading it could tell."""
        known = self._known.get((id(backward.site), backward.num_rows))
        if known is None:
            return None
        loss = known.loss
        if known.factor != backward.factor:
            if loss.terms or loss.factor != known.factor:
                return None
            loss = replace(loss, factor=backward.factor)
        return _without_items(loss) if known.has_varied else loss


def _items(loss: LossFacts) -> list[tuple[int | None, int | None]]:
    return [(part.num_items, part.num_kept) for part in loss.parts]


def _without_items(loss: LossFacts) -> LossFacts:
    terms = tuple([replace(term, num_items=None, num_kept=None, drops_ends=False) for term in loss.terms])
    return replace(loss, num_items=None, num_kept=None, drops_ends=False, terms=terms)
