"""The forward that the loss comes from goes through .module."""

# kind: distributed
# source: https://github.com/jingyaogong/minimind/pull/854
# changed: a small policy over made-up states on two ranks of one machine

import hashlib
import os
import tempfile
import torch
from torch import nn
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def grpo_train_epoch(model, optimizer, steps, accumulation_steps=2):
    model_unwrapped = model.module if isinstance(model, DistributedDataParallel) else model  # BUG: ddp-bypassed  ALSO: replicas-diverged
    for step in range(1, steps + 1):
        state = torch.randn(32, 6)
        logits = model_unwrapped(state)  # BUG: ddp-bypassed  ALSO: replicas-diverged
        logp = torch.log_softmax(logits, 1)
        action = torch.multinomial(logp.exp().detach(), 1)
        reward = state.gather(1, action)
        advantages = (reward - reward.mean()) / (reward.std() + 1e-4)
        chosen = logp.gather(1, action)
        loss = -(torch.exp(chosen - chosen.detach()) * advantages).mean() / accumulation_steps
        loss.backward()  # BUG: ddp-bypassed  ALSO: replicas-diverged
        if step % accumulation_steps == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()  # BUG: ddp-bypassed  ALSO: replicas-diverged
            optimizer.zero_grad()


def main(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(42)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 4)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    torch.manual_seed(42 + rank)
    grpo_train_epoch(model, optimizer, 50)
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(folder,), nprocs=2)
