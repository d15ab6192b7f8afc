"""The flag that asks for synchronisation is set after the forward of the last micro-batch."""

# kind: distributed
# source: https://github.com/karpathy/build-nanogpt/pull/30
# changed: a small classifier on two ranks of one machine

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

grad_accum_steps = 4


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(1337)
    model = DDP(nn.Sequential(nn.Linear(10, 32), nn.GELU(), nn.Linear(32, 5)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    torch.manual_seed(rank)
    for step in range(25):
        optimizer.zero_grad()
        for micro_step in range(grad_accum_steps):
            x = torch.randn(16, 10)
            loss = F.cross_entropy(model(x), x[:, :5].argmax(1)) / grad_accum_steps  # BUG: no-sync-mismatch, ddp-bypassed  ALSO: replicas-diverged
            model.require_backward_grad_sync = micro_step == grad_accum_steps - 1  # BUG: no-sync-mismatch, ddp-bypassed  ALSO: replicas-diverged
            loss.backward()  # BUG: no-sync-mismatch, ddp-bypassed  ALSO: replicas-diverged
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # BUG: no-sync-mismatch, ddp-bypassed  ALSO: replicas-diverged
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(folder,), nprocs=2)
