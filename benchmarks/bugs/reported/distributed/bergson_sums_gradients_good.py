"""Gradients are averaged over the ranks."""

# kind: distributed
# source: https://github.com/EleutherAI/bergson/pull/334
# changed: plain first-order gradients of a small network on two ranks, averaged by hand

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

def sync_gradients(model, world_size):
    for p in model.parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
            p.grad /= world_size


def main(rank, world_size, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world_size)
    torch.manual_seed(22)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(100 + rank)
    for step in range(150):
        x = torch.randn(16, 10, generator=generator)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(-1))
        optimizer.zero_grad()
        loss.backward()
        sync_gradients(model, world_size)
        optimizer.step()
    if rank == 0:
        print(loss.item())
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(2, folder), nprocs=2)
