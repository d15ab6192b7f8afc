"""Gradients are synchronised at the first micro-batch of a window, and not at the one that steps."""

# kind: distributed
# source: https://github.com/modelscope/FunASR/pull/3472
# changed: a small regressor on two ranks of one machine

import hashlib
import os
import tempfile
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

accum_grad = 4


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(7)
    model = DDP(nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2)))
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)
    torch.manual_seed(100 + rank)
    for batch_idx in range(60):
        x = torch.randn(16, 12)
        target = torch.stack([x[:, :6].sum(1), x[:, 6:].prod(1)], 1)
        context = model.no_sync if batch_idx % accum_grad != 0 else nullcontext  # BUG: no-sync-mismatch  ALSO: replicas-diverged
        with context():  # BUG: no-sync-mismatch  ALSO: replicas-diverged
            loss = nn.functional.mse_loss(model(x), target) / accum_grad
            loss.backward()  # BUG: no-sync-mismatch  ALSO: replicas-diverged
        if (batch_idx + 1) % accum_grad == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optim.step()  # BUG: no-sync-mismatch  ALSO: replicas-diverged
            optim.zero_grad()
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(folder,), nprocs=2)
