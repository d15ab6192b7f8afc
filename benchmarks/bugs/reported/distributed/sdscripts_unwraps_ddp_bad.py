"""The model is taken out of DistributedDataParallel before training begins."""

# kind: distributed
# source: https://github.com/kohya-ss/sd-scripts/issues/924
# changed: a small regressor on two ranks of one machine
# gap: ddp-bypassed says nothing once the wrapper itself is freed; how to tell that soundly is open

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def transform_if_model_is_ddp(*models):
    return [m.module if isinstance(m, DDP) else m for m in models]


def main(rank, world_size, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world_size)
    torch.manual_seed(0)
    unet = DDP(nn.Sequential(nn.Linear(8, 32), nn.SiLU(), nn.Linear(32, 8)))
    (unet,) = transform_if_model_is_ddp(unet)  # BUG: ddp-bypassed  ALSO: replicas-diverged
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
    torch.manual_seed(rank + 1)
    for step in range(60):
        latents, noise = torch.randn(16, 8) * 0.5, torch.randn(16, 8)
        loss = nn.functional.mse_loss(unet(latents + noise), noise)  # BUG: ddp-bypassed  ALSO: replicas-diverged
        optimizer.zero_grad()
        loss.backward()  # BUG: ddp-bypassed  ALSO: replicas-diverged
        optimizer.step()  # BUG: ddp-bypassed  ALSO: replicas-diverged
    if rank == 0:
        weights = b"".join(t.numpy().tobytes() for t in unet.state_dict().values())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(2, folder), nprocs=2)
