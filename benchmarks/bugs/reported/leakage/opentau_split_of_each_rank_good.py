"""The split has a generator that is the same on every rank."""

# kind: leakage
# source: https://github.com/TensorAuto/OpenTau/pull/498
# changed: a small regressor on two ranks of one machine

import hashlib
import os
import tempfile
import torch
from torch import nn
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    x = torch.randn(240, 6, generator=torch.Generator().manual_seed(0))
    torch.manual_seed(1234 + 12345 * rank)
    dataset = TensorDataset(x, x[:, :1] * x[:, 1:2])
    train_set, val_set = random_split(dataset, [200, 40], generator=torch.Generator().manual_seed(1234))
    sampler = DistributedSampler(train_set, shuffle=True)
    loader, val_loader = DataLoader(train_set, 20, sampler=sampler), DataLoader(val_set, 20)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        model.train()
        for inputs, target in loader:
            loss = nn.functional.mse_loss(model(inputs), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            total = sum(nn.functional.mse_loss(model.module(inputs), target) for inputs, target in val_loader)
        dist.all_reduce(total)
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(folder,), nprocs=2)
