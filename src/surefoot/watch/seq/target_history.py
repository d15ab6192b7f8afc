"""What the batches looked at tell of the targets of one loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from surefoot.facts import ReadFacts, SequenceFacts, Site
from surefoot.watch.seq.align import Layout
from surefoot.watch.seq.padding import Padding, is_token, labels_left_blank, padding_in, unnamed_padding

FIRST_LOOKS = 6  # batches of each loss that are compared; then those at powers of two


@dataclass(slots=True)
class TargetHistory:
    """What is known of the targets of one line."""

    site: Site | None
    kind: str
    num_calls: int = 0
    num_lookups: int = 0
    ahead: dict[tuple[int, int], int] = field(default_factory=dict)  # by lookup and shift, as the graph tells
    offsets: Counter[int] = field(default_factory=Counter)
    reads: list[ReadFacts] = field(default_factory=list)
    num_read: int = 0  # batches in which dependence was to be read off the graph
    num_told: int = 0  # and was
    padding: tuple[int, int, int] | None = None  # index, target, ignored
    is_padding_a_class: bool = False
    mask_token: int | None = None  # if what counts as padding is every position that is not masked
    is_padding_named: bool = True  # by the `padding_idx` of the embedding
    guesses: dict[int, int | None] = field(default_factory=dict)  # by lookup: what fills up rows in every batch so far
    tokens: set[int] = field(default_factory=set)  # padding indices that also stand inside sequences
    num_padded: int = 0
    num_padding: int = 0
    num_counted: int = 0

    @property
    def is_due(self) -> bool:
        calls = self.num_calls
        return (calls <= FIRST_LOOKS and (calls <= 2 or self.num_lookups > 0)) or not calls & (calls - 1)

    def guess(self, lookup: int, ids: Tensor, left_out: Sequence[Tensor] = ()) -> int | None:
        """What fills up rows in this batch and in all that were looked at before."""
        filler = unnamed_padding(ids, left_out)
        before = self.guesses.setdefault(lookup, filler)
        if before is not None and before != filler:
            self.guesses[lookup] = None
            if not self.is_padding_named:
                self.padding, self.num_padded = None, 0
        return self.guesses[lookup]

    def add_padding(
        self,
        found: list[Layout],
        shift: int | None,
        padding_idx: int,
        ignored: int,
        weight: Tensor | None,
        is_named: bool = True,
    ) -> None:
        if padding_idx in self.tokens or not found:
            return
        if all(is_token(one, padding_idx) for one in found):  # in either order of dimensions
            self.tokens.add(padding_idx)
            self.padding, self.num_padded = None, 0
            return
        padded = [padding for one in found if (padding := padding_in(one, shift, padding_idx, ignored)) is not None]
        if padded:
            self._add(padded[0], padding_idx, ignored, weight, is_named)

    def add_blanks(self, found: list[Layout], padding_idx: int, ignored: int, weight: Tensor | None) -> None:
        blanks = [one for layout in found if (one := labels_left_blank(layout, padding_idx, ignored)) is not None]
        if blanks:
            self._add(blanks[0], padding_idx, ignored, weight, is_named=True)

    def _add(self, padding: Padding, padding_idx: int, ignored: int, weight: Tensor | None, is_named: bool) -> None:
        if weight is not None and float(weight[padding.target]) == 0:
            return
        self.padding, self.is_padding_named = (padding_idx, padding.target, ignored), is_named
        self.mask_token = padding.mask_token
        self.is_padding_a_class |= padding.is_a_class
        self.num_padded += 1
        self.num_padding += padding.num_targets
        self.num_counted += padding.num_counted

    def facts(self) -> SequenceFacts:
        index, target, ignored = self.padding or (None, None, -100)
        return SequenceFacts(
            self.site, self.kind, self.offsets.total(), tuple(sorted(self.offsets.items())), tuple(self.reads),
            index, target, ignored, self.num_padded, self.num_padding, self.num_counted,
            self.is_padding_a_class, self.is_padding_named, self.mask_token,
        )  # fmt: skip
