"""Buckets: the lowest and highest of each range, and nothing that is not finite is lost."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.runlog.read import open_runs
from surefoot.runlog.read.bucket import bucket
from surefoot.runlog.read.column import Column
from tests.runlog.making import LogFile

NUMBERS = st.one_of(st.floats(width=32), st.sampled_from([math.nan, math.inf, -math.inf]))


def column(steps: list[int], values: list[float]) -> Column:
    return Column(np.array(steps, np.int64), np.zeros(len(steps)), np.array(values, np.float64))


def test_buckets_of_a_run(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db") as log:
        log.log(range(100), loss=[math.nan if step == 50 else float(step % 10) for step in range(100)])
        log.seal()
    run = open_runs(tmp_path)["a"]
    found = run.buckets("loss", num=4)
    assert found.first_steps.tolist() == [0, 25, 50, 75]
    assert found.last_steps.tolist() == [24, 49, 74, 99]
    assert (found.lows.tolist(), found.highs.tolist()) == ([0.0] * 4, [9.0] * 4)
    assert found.num_nan.tolist() == [0, 0, 1, 0]
    near = run.buckets("loss", num=2000, first=40, last=59)
    assert near.first_steps.tolist() == list(range(40, 60))
    assert math.isnan(near.lows[10]) and math.isnan(near.highs[10])
    assert len(run.buckets("loss", first=500)) == 0
    with pytest.raises(ValueError, match="num must be at least 1, got 0"):
        run.buckets("loss", num=0)


@given(st.lists(st.tuples(st.integers(0, 60), NUMBERS), max_size=40), st.integers(1, 12))
def test_every_value_is_in_one_bucket(pairs: list[tuple[int, float]], num: int) -> None:
    pairs.sort(key=lambda pair: pair[0])
    steps, values = [step for step, _ in pairs], [value for _, value in pairs]
    found = bucket(column(steps, values), num)
    assert len(found) <= num
    assert found.counts.sum() == len(pairs)
    at = 0
    for i in range(len(found)):
        mine = values[at : at + found.counts[i]]
        finite = [value for value in mine if math.isfinite(value)]
        assert (found.first_steps[i], found.last_steps[i]) == (steps[at], steps[at + len(mine) - 1])
        assert found.num_nan[i] == sum(map(math.isnan, mine))
        assert found.num_inf[i] + found.num_negative_inf[i] == sum(map(math.isinf, mine))
        if finite:
            assert (found.lows[i], found.highs[i]) == (min(finite), max(finite))
        else:
            assert math.isnan(found.lows[i])
        at += len(mine)
