"""The words that `parallel` takes, and that without torchrun they change nothing."""

from typing import Any

import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.loop.parallel import ddp
from surefoot.loop.parallel.fsdp import refuse_state, units_of
from surefoot.loop.parallel.group import own_device
from tests.loop.training import all_equal, make_batches, make_model, weights


def make_loop(**settings: Any) -> sf.Loop:
    model = make_model()
    return sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), watch=False, **settings)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match='parallel must be "ddp", "fsdp" or None, got \'dp\''):
        make_loop(parallel="dp")
    with pytest.raises(ValueError, match=r"fsdp_units is for parallel=.fsdp., got parallel='ddp'"):
        make_loop(parallel="ddp", fsdp_units=["0"])
    with pytest.raises(TypeError, match="fsdp_units is a list of patterns, got '0'"):
        make_loop(parallel="fsdp", fsdp_units="0")
    models = {"a": make_model(), "b": make_model()}
    with pytest.raises(ValueError, match="trains one optimizer, got 2"):
        sf.Loop(models, {n: torch.optim.SGD(m.parameters()) for n, m in models.items()}, parallel="fsdp")


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
@pytest.mark.usefixtures("silent_sanitizer")
def test_alone_it_is_the_plain_loop(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    batches = make_batches([8, 8, 5])
    plain, ours = make_loop(), make_loop(parallel=way)
    for loop in (plain, ours):
        loop.fit(batches, nn.functional.cross_entropy, epochs=2)
    assert all_equal(weights(plain.models[""]), weights(ours.models[""]))
    assert not torch.distributed.is_initialized()
    ours.close()


def test_each_rank_has_its_own_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[int] = []
    monkeypatch.setattr(torch.accelerator, "set_device_index", chosen.append)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert own_device("ddp", "cuda") == torch.device("cuda", 3)
    assert chosen == [3]
    assert own_device("ddp", "cuda:1") == "cuda:1"
    assert own_device("ddp", "cpu") == "cpu"
    assert own_device("ddp", None) is None
    assert own_device(None, "cuda") == "cuda"


class Blocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.head = nn.Linear(4, 5)


def test_units_are_blocks_that_share_nothing() -> None:
    model = Blocks()
    assert units_of(model, None) == list(model.blocks)
    assert units_of(model, ["head", "blocks.*"]) == [*model.blocks, model.head]  # inner ones first
    assert units_of(model, []) == []
    with pytest.raises(ValueError, match=r"no module is called 'layers'. There are embed, blocks, blocks.0"):
        units_of(model, ["layers"])
    tied = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.Linear(4, 2))
    tied[2].weight = tied[0].weight
    assert units_of(tied, None) == [tied[3]]


def test_gradients_are_sent_in_buckets_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ddp, "BUCKET_BYTES", 16)
    small, double, large, last = torch.zeros(1), torch.zeros(1, dtype=torch.float64), torch.zeros(5), torch.zeros(2)
    found = list(ddp.buckets([small, double, large, last]))
    assert [[len(one) for one in bucket] for bucket in found] == [[1, 5], [1], [2]]
    with pytest.raises(ValueError, match=r"a gradient is sparse.*sparse=False"):
        list(ddp.buckets([torch.zeros(2).to_sparse()]))


def test_an_optimizer_that_has_stepped_is_not_sharded() -> None:
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters())
    refuse_state({"": optimizer})
    model(torch.randn(2, 4)).sum().backward()
    optimizer.step()
    with pytest.raises(ValueError, match="has stepped already and has state for the whole ones"):
        refuse_state({"": optimizer})


@pytest.mark.parametrize(
    ("parallel", "options", "says"),
    [
        ("ddp", {"reshard_after_forward": False}, 'fsdp_options is for parallel="fsdp"'),
        ("fsdp", {"mesh": None}, "got 'mesh'. The loop makes the mesh"),
        ("fsdp", "mp_policy", "takes a dict of what fully_shard takes: mp_policy, offload_policy"),
    ],
)
def test_options_of_fully_shard(parallel: Any, options: Any, says: str) -> None:
    model = torch.nn.Linear(2, 1)
    with pytest.raises(ValueError, match=says):
        sf.Loop(model, torch.optim.SGD(model.parameters()), parallel=parallel, fsdp_options=options)
