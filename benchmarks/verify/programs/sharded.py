"""A network that fully_shard splits over ranks."""

import argparse
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import mse_loss

parser = argparse.ArgumentParser()
parser.add_argument("--ranks", type=int, default=1)
options = parser.parse_args()
BATCH = 16


def clip(model: nn.Module) -> None:
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)


def train(rank: int, store: str) -> None:
    world = options.ranks
    torch.manual_seed(0)
    inputs, targets = torch.randn(96, 6), torch.randn(96, 2)
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    if world > 1:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
        for layer in model:
            fully_shard(layer)
        fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    size = BATCH // world
    for step in range(6):
        first = step * BATCH + rank * size
        optimizer.zero_grad()
        mse_loss(model(inputs[first : first + size]), targets[first : first + size]).backward()
        clip(model)
        optimizer.step()


if __name__ == "__main__":
    store = str(Path(tempfile.mkdtemp()) / "store")
    if options.ranks == 1:
        train(0, store)
    else:
        mp.start_processes(train, (store,), options.ranks, start_method="fork")
