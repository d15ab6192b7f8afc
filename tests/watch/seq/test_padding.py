"""What fills up the rows of ids where no `padding_idx` tells it, and labels of tokens that are not masked."""

import pytest
import torch
from torch import Tensor

from surefoot.watch.seq.align import Layout
from surefoot.watch.seq.padding import labels_left_blank, unnamed_padding

LENGTHS = torch.tensor([3, 8, 5, 4, 7, 6])


def filled(filler: int, lengths: Tensor = LENGTHS, first: int = 10) -> Tensor:
    ids = torch.arange(first, first + 48).view(6, 8)
    return ids.masked_fill(torch.arange(8) >= lengths[:, None], filler)


@pytest.mark.parametrize("filler", [0, 3, 99])
def test_what_fills_up_rows(filler: int) -> None:
    ids = filled(filler)
    assert unnamed_padding(ids) == filler
    assert unnamed_padding(ids.flip(1)) == filler
    assert unnamed_padding(ids.t()) == filler


def test_one_that_also_stands_inside_is_a_token() -> None:
    ids = filled(0)
    ids[1, 2] = 0
    assert unnamed_padding(ids) is None


def test_rows_of_one_length_or_two_tell_nothing() -> None:
    assert unnamed_padding(filled(0, torch.full((6,), 5))) is None
    assert unnamed_padding(filled(0, torch.tensor([5, 4, 5, 4, 5, 5]))) is None


def test_a_state_that_is_entered_from_few_others_is_no_padding() -> None:
    ids = filled(0)
    last = (LENGTHS - 1)[:, None]
    ids = ids.scatter(1, last, 7)
    assert unnamed_padding(ids) is None
    assert unnamed_padding(ids, [torch.zeros(6, 2, 8, dtype=torch.bool), torch.zeros(5, 4, dtype=torch.bool)]) is None


def test_one_that_attention_leaves_out_is_padding_whatever_stands_before_it() -> None:
    ids = filled(0).scatter(1, (LENGTHS - 1)[:, None], 7)
    assert unnamed_padding(ids, [(ids == 0)[:, None].repeat(1, 2, 1)]) == 0


def test_nothing_to_fill() -> None:
    assert unnamed_padding(filled(0, torch.full((6,), 8))) is None
    assert unnamed_padding(torch.arange(9)) is None
    assert unnamed_padding(torch.zeros(0, 4, dtype=torch.int64)) is None


MASK = 7
TEXT = torch.arange(10, 58).view(6, 8)
ASKED = torch.arange(48).view(6, 8) % 5 == 0


def blank(ids: Tensor, targets: Tensor, ignore_index: int = -100) -> int | None:
    layout = Layout(ids, targets, torch.arange(48).view(6, 8), is_turned=False)
    found = labels_left_blank(layout, 0, ignore_index)
    return None if found is None else found.num_targets


def test_all_but_masked_tokens_are_labelled_as_padding() -> None:
    ids, targets = TEXT.masked_fill(ASKED, MASK), TEXT * ASKED
    assert blank(ids, targets) == 38
    kept = ids.clone()
    kept[0, 0], kept[0, 5] = TEXT[0, 0], 33  # asked for, but left or changed
    assert blank(kept, targets) == 38


def test_labels_that_are_ignored_or_asked_for_everywhere() -> None:
    ids, targets = TEXT.masked_fill(ASKED, MASK), TEXT * ASKED
    assert blank(ids, targets, ignore_index=0) is None
    assert blank(ids, targets.masked_fill(~ASKED, -100)) is None
    assert blank(ids, TEXT) is None


def test_tags_of_words_are_no_masked_tokens() -> None:
    assert blank(TEXT, (TEXT % 9) * ASKED) is None  # what is tagged differs
    tags = (TEXT % 9 + 1) * ASKED
    assert blank(TEXT.masked_fill(torch.arange(48).view(6, 8) % 3 == 0, MASK), tags) is None
