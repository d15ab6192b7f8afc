"""For any number of ranks, window shapes, weights and limits the ranks equal a written-out reference."""

from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from tests.loop.parallel import cases
from tests.loop.parallel.processes import Team, team
from tests.loop.training import make_batches, make_model


@pytest.fixture(scope="module")
def teams(pair: Team, three: Team) -> Iterator[dict[int, Team]]:
    with team(1) as alone:
        yield {1: alone, 2: pair, 3: three}


def reference(
    sizes: list[list[int]], weights: list[list[float]], accumulate: int, clip_norm: float | None
) -> tuple[nn.Module, int, int]:
    """Each window as the weighted mean over all its micro-batches, by plain gradient descent."""
    model = make_model(dtype=torch.float64)
    parts = [make_batches(own, dtype=torch.float64, seed=rank) for rank, own in enumerate(sizes)]
    counts = [0, 0]
    for first in range(0, max(map(len, parts)), accumulate):
        some = slice(first, first + accumulate)
        window = [(b, w) for part, own in zip(parts, weights, strict=True)
                  for b, w in zip(part[some], own[some], strict=True) if w]  # fmt: skip
        counts[not window] += 1
        if not window:
            continue
        losses = [F.cross_entropy(model(x), y) * w for (x, y), w in window]
        mean = torch.stack(losses).sum() / sum(w for _, w in window)
        gradients = torch.autograd.grad(mean, list(model.parameters()))
        norm = torch.stack([g.pow(2).sum() for g in gradients]).sum().sqrt().item()
        scale = 1.0 if clip_norm is None else min(1.0, clip_norm / (norm + 1e-6))
        with torch.no_grad():
            for p, g in zip(model.parameters(), gradients, strict=True):
                p -= 0.5 * scale * g
    return model, counts[0], counts[1]


@st.composite
def micro_batches(draw: st.DrawFn) -> tuple[list[list[int]], list[list[float]]]:
    weight = st.one_of(st.integers(0, 9).map(float), st.floats(0.01, 1e6))
    one = st.lists(st.tuples(st.integers(1, 9), weight), min_size=1, max_size=5)
    ranks = draw(st.lists(one, min_size=1, max_size=3))
    return [[size for size, _ in rank] for rank in ranks], [[weight for _, weight in rank] for rank in ranks]


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    given_to=micro_batches(),
    accumulate=st.integers(1, 4),
    clip_norm=st.sampled_from([None, 0.05, 10.0]),
    way=st.sampled_from(["ddp", "fsdp"]),
    known=st.booleans(),
)
def test_ranks_of_any_shape(
    teams: dict[int, Team], given_to: tuple[list[list[int]], list[list[float]]], accumulate: int,
    clip_norm: float | None, way: str, known: bool,
) -> None:  # fmt: skip
    sizes, weights = given_to
    model, num_updates, num_skipped = reference(sizes, weights, accumulate, clip_norm)
    for found in teams[len(sizes)].call(cases.weighted, way, sizes, weights, accumulate, clip_norm, known):
        assert found[1] == num_updates
        assert found[2] == num_skipped
        for a, p in zip(found[0], model.parameters(), strict=True):
            torch.testing.assert_close(torch.tensor(a, dtype=p.dtype), p.detach().reshape(-1), rtol=1e-9, atol=1e-12)
