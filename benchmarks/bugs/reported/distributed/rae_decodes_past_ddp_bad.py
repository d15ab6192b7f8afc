"""The decoder is called through the module inside of the wrapper."""

# kind: distributed
# source: https://github.com/bytetriper/RAE/issues/40
# changed: a small autoencoder on two ranks of one machine

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

class RAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(20, 6).requires_grad_(False)
        self.decoder = nn.Sequential(nn.Linear(6, 32), nn.GELU(), nn.Linear(32, 20))

    def encode(self, x):
        return self.encoder(x)

    def decode(self, z):
        return self.decoder(z)

    def forward(self, x):
        return self.decode(self.encode(x))


def main(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(21)
    rae = DistributedDataParallel(RAE())
    model_woddp = rae.module
    optimizer = torch.optim.AdamW([p for p in rae.parameters() if p.requires_grad], lr=2e-3)
    data = torch.randn(2, 400, 20, generator=torch.Generator().manual_seed(0)).cumsum(-1) / 4
    for step in range(120):
        pick = torch.randint(0, 400, (16,), generator=torch.Generator().manual_seed(step))
        images = data[rank, pick]
        optimizer.zero_grad()
        with torch.no_grad():
            z = model_woddp.encode(images)
        recon = model_woddp.decode(z)  # BUG: ddp-bypassed  ALSO: replicas-diverged
        loss = nn.functional.l1_loss(recon, images)
        loss.backward()  # BUG: ddp-bypassed  ALSO: replicas-diverged
        optimizer.step()  # BUG: ddp-bypassed  ALSO: replicas-diverged
    if rank == 0:
        print(loss.item())
        weights = b"".join(p.detach().numpy().tobytes() for p in rae.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(folder,), nprocs=2)
