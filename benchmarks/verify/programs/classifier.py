"""A classifier on one process or several, with gradients that are reduced by hand."""

import argparse
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.functional import cross_entropy

parser = argparse.ArgumentParser()
parser.add_argument("--ranks", type=int, default=1)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--batch", type=int, default=32)  # of all ranks and micro-batches together
options = parser.parse_args()


def train(rank: int, store: str) -> None:
    world = options.ranks
    if world > 1:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(0)
    inputs, targets = torch.randn(256, 12), torch.randint(0, 4, (256,))
    order = torch.randperm(256)
    body = nn.Sequential(nn.Linear(12, 48), nn.LayerNorm(48), nn.GELU(), nn.Dropout(0.2))
    model = nn.Sequential(body, nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 4))
    start = {name: value.clone() * 0.9 for name, value in model.state_dict().items()}
    model.load_state_dict(start)  # as from a checkpoint
    rate = 1e-3 * options.batch / 32
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    torch.manual_seed(100 + rank)
    size = options.batch // world
    part = size // options.accumulate
    for step in range(6):
        mine = order[step * options.batch + rank * size :][:size]
        optimizer.zero_grad()
        for chosen in mine.split(part):
            loss = cross_entropy(model(inputs[chosen]), targets[chosen]) / options.accumulate
            loss.backward()
        if world > 1:
            for name, param in model.named_parameters():
                dist.all_reduce(param.grad)
                param.grad /= world
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()


if __name__ == "__main__":
    store = str(Path(tempfile.mkdtemp()) / "store")
    if options.ranks == 1:
        train(0, store)
    else:
        mp.start_processes(train, (store,), options.ranks, start_method="fork")
