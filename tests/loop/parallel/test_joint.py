"""Optimizers that step together, and those that evaluate the loss themselves, on several ranks."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import surefoot as sf
from tests.loop.parallel import joint_cases
from tests.loop.parallel.processes import Team
from tests.loop.training import Batch, make_batches, make_model


def large_batches(windows: list[list[tuple[int, int]]], sizes: list[list[int]]) -> list[Batch]:
    """Each window, given as (rank, number of the batch), as one batch."""
    parts = [make_batches(part, dtype=torch.float64, seed=rank) for rank, part in enumerate(sizes)]
    made = []
    for window in windows:
        x, y = zip(*(parts[rank][index] for rank, index in window), strict=True)
        made.append((torch.cat(x), torch.cat(y)))
    return made


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_a_window_is_one_large_batch_of_all_ranks(pair: Team, tmp_path: Path, way: str) -> None:
    found = pair.call(joint_cases.joint, str(tmp_path), way)
    windows = [[(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 2), (1, 2)]]
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, joint_cases.optimizers_of(model), clip_norm=0.5)
    loop.fit(large_batches(windows, [[4, 2, 3], [1, 5, 2]]), F.cross_entropy, epochs=2)
    for one in found:
        assert one["resumed"] == one["weights"] == found[0]["weights"]
        assert one["norms"] == pytest.approx(loop.history["grad_norm"], rel=1e-11)
    for a, p in zip(found[0]["weights"], model.parameters(), strict=True):
        torch.testing.assert_close(torch.tensor(a, dtype=p.dtype), p.detach().reshape(-1), rtol=1e-11, atol=1e-13)


def test_a_closure_is_evaluated_alike_on_all_ranks(pair: Team) -> None:
    found = pair.call(joint_cases.by_closure)
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=3))
    loop.fit(large_batches([[(0, 0), (1, 0)], [(0, 1), (1, 1)]], [[4, 2], [3, 5]]), F.cross_entropy, epochs=2)
    assert found[0] == found[1]
    for a, p in zip(found[0], model.parameters(), strict=True):
        torch.testing.assert_close(torch.tensor(a, dtype=p.dtype), p.detach().reshape(-1), rtol=1e-9, atol=1e-11)


def test_the_clock_of_the_first_rank_counts(pair: Team, tmp_path: Path) -> None:
    first, second = pair.call(joint_cases.saved_by_the_clock, str(tmp_path))
    assert first == second == ["3", "5"]
