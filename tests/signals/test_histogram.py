import math

import pytest
import torch
from torch import nn

from surefoot.signals.gauge import Gauge
from surefoot.signals.histogram import EDGES, NUM_BINS, count


def test_values_are_counted_between_the_edges_of_their_owner() -> None:
    values = torch.tensor([0.0, 1.5, -1.5, 3000.0, 7.0, float("nan"), 9.0])
    (first, second) = count(values, torch.tensor([0, 0, 0, 0, 1, 1, -1]), 2)
    assert len(first) == NUM_BINS and sum(first) == 4 and sum(second) == 1
    assert first[NUM_BINS // 2] == 1  # around zero
    place = next(i for i in range(NUM_BINS) if EDGES[i] <= 1.5 < EDGES[i + 1])
    assert first[place] == 1 and first[NUM_BINS - 1 - place] == 1  # alike on both sides
    assert first[-1] == 1


def test_histograms_can_be_added_up() -> None:
    torch.manual_seed(0)
    values = torch.randn(1000)
    halves = count(values, torch.arange(1000) % 2, 2)
    (whole,) = count(values, torch.zeros(1000, dtype=torch.int64), 1)
    assert [a + b for a, b in zip(*halves, strict=True)] == whole


def test_what_is_filled_up_is_not_counted() -> None:
    params = {0: nn.Parameter(torch.ones(3)), 1: nn.Parameter(torch.ones(700)), 2: nn.Parameter(torch.ones(5))}
    gauge = Gauge(params)
    gauge.before()
    counts = count(gauge.elements[0], gauge.owners(), 3)
    assert {i: sum(some) for i, some in zip(gauge.indices, counts, strict=True)} == {0: 3, 1: 700, 2: 5}


@pytest.mark.parametrize("edge", EDGES[1:-1])
def test_edges_are_powers_of_four(edge: float) -> None:
    assert math.log(abs(edge), 4) == pytest.approx(round(math.log(abs(edge), 4)))
