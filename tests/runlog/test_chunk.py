"""What is packed is what comes out, by series."""

from math import inf, isnan, nan

import pytest

from surefoot.runlog.chunk import pack, pack_series, unpack, unpack_series


def test_values_lie_side_by_side_by_series() -> None:
    chunk = unpack(*pack([(7, 1.5, (0.25, 10.0)), (8, 1.75, (0.5, 20.0)), (9, 2.0, (1.0, 30.0))]))
    assert chunk.steps.tolist() == [7, 8, 9]
    assert chunk.times.tolist() == [1.5, 1.75, 2.0]
    assert chunk.values.tolist() == [[0.25, 0.5, 1.0], [10.0, 20.0, 30.0]]


def test_what_is_not_finite_is_kept() -> None:
    values = unpack(*pack([(0, 0.0, (nan, inf, -inf))])).values[:, 0].tolist()
    assert isnan(values[0])
    assert values[1:] == [inf, -inf]


def test_a_layout_keeps_its_order() -> None:
    assert unpack_series(pack_series([5, 1, 70_000])) == [5, 1, 70_000]


def test_parts_of_different_chunks_are_refused() -> None:
    num_steps, steps, times, values = pack([(1, 1.0, [0.5]), (2, 2.0, [0.25])])
    with pytest.raises(ValueError, match="a chunk of 2 steps has 2 steps and 1 times"):
        unpack(num_steps, steps, times[:8], values)
