"""A window's gradient is that of the mean over all items of all ranks."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy

from tests.loop.parallel import cases
from tests.loop.parallel.processes import Team
from tests.loop.training import Batch, make_batches, make_model, plain_loop

WAYS = ["ddp", "fsdp"]


def reference(
    parts: list[list[Batch]], accumulate: int, *, epochs: int = 1, lr: float = 0.1, clip_norm: float | None = None
) -> nn.Module:
    """Written out: each window of all ranks as one large batch."""
    windows = []
    for first in range(0, max(map(len, parts)), accumulate):
        window = [batch for part in parts for batch in part[first : first + accumulate]]
        windows.append((torch.cat([x for x, _ in window]), torch.cat([y for _, y in window])))
    model = make_model(dtype=torch.float64)
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=lr), windows, epochs, clip_norm=clip_norm)
    return model


def assert_close(found: list[dict[str, Any]], model: nn.Module, *, rtol: float = 1e-11, atol: float = 1e-13) -> None:
    assert all(one["weights"] == found[0]["weights"] for one in found), "ranks differ"
    for a, p in zip(found[0]["weights"], model.parameters(), strict=True):
        torch.testing.assert_close(torch.tensor(a, dtype=p.dtype), p.detach().reshape(-1), rtol=rtol, atol=atol)


@pytest.mark.parametrize("way", WAYS)
def test_ragged_and_unequal_ranks(pair: Team, way: str) -> None:
    for found in pair.call(cases.probe, way, [[7, 3], [5, 1]], 2):
        assert found["w"] == [-0.4375, -0.1875, -0.3125, -0.0625]
        assert found["updates"] == 1


@pytest.mark.parametrize(
    "options",
    [
        {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)},
        {"reshard_after_forward": False},
    ],
)
def test_options_of_fully_shard_keep_the_weights_of_micro_batches(pair: Team, options: dict[str, Any]) -> None:
    for found in pair.call(cases.probe, "fsdp", [[7, 3], [5, 1]], 2, fsdp_options=options):
        assert found["w"] == pytest.approx([-0.4375, -0.1875, -0.3125, -0.0625], abs=5e-3)


@pytest.mark.parametrize("way", WAYS)
def test_the_last_window_of_an_epoch_counts_what_it_has(pair: Team, way: str) -> None:
    for known in (True, False):
        for found in pair.call(cases.probe, way, [[3, 3, 3], [3, 3, 1]], 2, known=known):
            assert found["w"] == [-0.25, -0.25, -0.75, -0.25, -0.25, -0.25]
            assert found["updates"] == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("known", [True, False])
def test_ranks_with_different_numbers_of_batches_do_not_hang(pair: Team, way: str, known: bool) -> None:
    """The short one goes on with its last batch, which counts nothing, to the end of the long one."""
    for found in pair.call(cases.probe, way, [[2], [2, 4, 4, 8, 8]], 2, known=known):
        assert found["w"] == pytest.approx([-0.25, -0.25, -0.5, -1 / 3, -2 / 3, -1.0], rel=1e-7)
        assert (found["updates"], found["seen"]) == (3, 5)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("clip_norm", [None, 0.05])
def test_it_is_one_large_batch(pair: Team, way: str, clip_norm: float | None) -> None:
    parts = [
        make_batches(sizes, dtype=torch.float64, seed=i) for i, sizes in enumerate([[7, 3, 4, 4, 2], [5, 1, 9, 4]])
    ]
    found = pair.call(cases.train, way, parts, 2, epochs=2, clip_norm=clip_norm)
    assert_close(found, reference(parts, 2, epochs=2, clip_norm=clip_norm))
    assert found[0]["losses"] == found[1]["losses"]
    assert found[0]["norms"] == found[1]["norms"]


@pytest.mark.parametrize("way", WAYS)
def test_ignored_tokens_do_not_count(pair: Team, way: str) -> None:
    parts = [make_batches(sizes, dtype=torch.float64, seed=i) for i, sizes in enumerate([[6, 6], [6, 6]])]
    parts[0][1][1][:5] = -100
    parts[1][0][1][:2] = -100
    assert_close(pair.call(cases.train, way, parts, 2), reference(parts, 2))


@pytest.mark.parametrize("way", WAYS)
def test_half_precision(pair: Team, way: str) -> None:
    parts = [make_batches(sizes, seed=i) for i, sizes in enumerate([[7, 3], [5, 1]])]
    exact = [[(x.double(), y) for x, y in part] for part in parts]
    found = pair.call(cases.train, way, parts, 2, precision="fp16", clip_norm=10.0)
    assert [(one["updates"], one["skipped"]) for one in found] == [(1, 0), (1, 0)]
    assert_close(found, reference(exact, 2).float(), rtol=2e-2, atol=1e-3)


@pytest.mark.parametrize("way", WAYS)
def test_a_rank_with_nothing_valid_counts_nothing(pair: Team, way: str) -> None:
    parts = [make_batches([4, 4], dtype=torch.float64, seed=i) for i in range(2)]
    parts[1][0][1][:] = -100
    for weights, num_updates in pair.call(cases.nothing_valid, way):
        assert num_updates == 2
        assert_close([{"weights": weights}], reference(parts, 1))


@pytest.mark.parametrize("limits", [{"clip_norm": 0.02}, {"clip_value": 0.001}], ids=str)
def test_limits_of_groups_are_the_same_whole_and_sharded(pair: Team, limits: dict[str, float]) -> None:
    whole, sharded = (pair.call(cases.limited, way, **limits)[0] for way in WAYS)
    unlimited = pair.call(cases.limited, "ddp")[0]
    for a, b in zip(whole, sharded, strict=True):
        assert a == pytest.approx(b, rel=1e-12)
    assert whole[0] != unlimited[0]


def test_branches_that_not_all_ranks_take(pair: Team) -> None:
    """A parameter that one rank reached is trained on all; one that none reached is left alone, decay included."""
    first, second = pair.call(cases.branches)
    assert first == second
    weights, has_state = first
    torch.manual_seed(2)
    before = cases.values(cases.Branching())
    assert [now != old for now, old in zip(weights, before, strict=True)] == [True] * 4 + [False] * 2
    assert has_state == [True] * 4 + [False] * 2
