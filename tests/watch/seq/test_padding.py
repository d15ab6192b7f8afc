"""What fills up the rows of ids, where no `padding_idx` tells it."""

import pytest
import torch
from torch import Tensor

from surefoot.watch.seq.padding import unnamed_padding

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
    assert unnamed_padding(ids.scatter(1, last, 7)) is None


def test_nothing_to_fill() -> None:
    assert unnamed_padding(filled(0, torch.full((6,), 8))) is None
    assert unnamed_padding(torch.arange(9)) is None
    assert unnamed_padding(torch.zeros(0, 4, dtype=torch.int64)) is None
