"""Two networks are wrapped as one, and their forwards are called one by one on what is inside."""

# kind: distributed
# source: https://github.com/intel/e2eAIOK/pull/198
# changed: a classifier and a discriminator on random domains, on two ranks of one machine

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.classifier = nn.Linear(24, 3)
        self.discriminator = nn.Linear(24, 2)

    def forward(self, x):
        h = self.features(x)
        return self.classifier(h), self.discriminator(h)


def loss_of(network, x, label, domain):
    logits, where = network(x)
    return F.cross_entropy(logits, label) + 0.1 * F.cross_entropy(where, domain)


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=2)
    torch.manual_seed(0)
    network = DistributedDataParallel(Both())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    torch.manual_seed(10 + rank)
    for step in range(50):
        domain = torch.randint(0, 2, (24,))
        x = torch.randn(24, 6) + domain[:, None]
        loss = loss_of(network, x, x[:, :3].argmax(1), domain)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in network.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
