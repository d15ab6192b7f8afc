"""What each rank does in the tests of checkpoints that other numbers of processes go on from."""

import warnings
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import surefoot as sf
from tests.loop.parallel.cases import values

NUM_UPDATES = 6  # of one epoch
SAVED = 3


def make(folder: str | None, way: str | None, rank: int, size: int) -> tuple[Any, sf.Loop, Any]:
    """A window has 8 of 48 samples, whatever the number of ranks."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 3)).double()
    x, y = torch.randn(48, 5, dtype=torch.float64), torch.randint(3, (48,))
    data = TensorDataset(x, y)
    loop = sf.Loop(
        model, torch.optim.AdamW(model.parameters(), lr=0.05), accumulate=4 // size, clip_norm=0.5, parallel=way,
        ema=0.5, checkpoint=folder, watch=False, log=None, progress=False,
    )  # fmt: skip
    return model, loop, DataLoader(data, 2, sampler=DistributedSampler(data, size, rank))


def train(model: nn.Module, loop: sf.Loop, loader: Any, *, until: int | None = None) -> Any:
    for x, y in loop.batches(loader, epochs=2):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if loop.updated and loop.num_updates == until:
            loop.save()
            break
    with loop.averaged():
        averaged = values(model)
    return values(model), averaged


def saved(folder: str, way: str | None, rank: int, size: int) -> None:
    train(*make(folder, way, rank, size), until=SAVED)


def resumed(folder: str, way: str | None, rank: int, size: int) -> tuple[Any, list[str]]:
    made = make(folder, way, rank, size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert made[1].resume()
    assert made[1].num_updates == SAVED
    return train(*made), [str(one.message) for one in caught]


def on_a_team(case: str, folder: str, way: str) -> Any:
    import torch.distributed as dist

    if not dist.is_initialized():
        dist.init_process_group("gloo")
    return globals()[case](folder, way, dist.get_rank(), dist.get_world_size())


def from_old(folder: str) -> list[list[float]]:
    """The other half of a run that version 0.1 began."""
    import torch.distributed as dist

    model = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
    loop = sf.Loop(model, torch.optim.AdamW(model.parameters(), lr=0.1), log=None, watch=False, progress=False,
                   checkpoint=Path(folder), parallel="fsdp")  # fmt: skip
    assert loop.resume()
    x = torch.arange(24.0).reshape(12, 2) / 10
    batches = [(x[i : i + 2], x[i : i + 2].sum(1, keepdim=True) * 2) for i in range(2 * dist.get_rank(), 12, 4)]
    for a, b in loop.batches(batches, epochs=2):
        with loop.step(weight=len(a)) as step:
            step.backward(F.mse_loss(model(a), b))
    assert loop.num_updates == 6
    return values(model)
