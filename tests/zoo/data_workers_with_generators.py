"""Generators in workers that are seeded by worker, epoch or sample, and one that only splits the data."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __init__(self, how):
        self.how = how
        self.rng = np.random.default_rng(0)
        self.x = torch.linspace(0, 1, 64)[:, None].repeat(1, 8)
        self.order = self.rng.permutation(64)
        self.own = None

    def __len__(self):
        return 64

    def noise(self, index):
        if self.how == "worker":
            return self.rng.normal()
        if self.how == "first use":
            if self.own is None:
                self.own = random.Random(get_worker_info().seed)
            return self.own.random()
        if self.how == "sample":
            self.own = self.own or random.Random()
            self.own.seed(index)
            return self.own.random()
        return np.random.normal() + random.random() + torch.rand(()).item()

    def __getitem__(self, index):
        return self.x[self.order[index]] + float(self.noise(index))


def seed_worker(worker):
    get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed() + worker)


torch.manual_seed(0)


def seed_globally(worker):
    np.random.seed(torch.initial_seed() % 2**32)


inits = {"worker": seed_worker, "global": seed_globally}
for how in ("worker", "first use", "sample", "global"):
    workers = 1 if how == "global" else 2
    loader = DataLoader(Noisy(how), batch_size=8, shuffle=True, num_workers=workers, worker_init_fn=inits.get(how))
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x in (x for _ in range(2) for x in loader):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
