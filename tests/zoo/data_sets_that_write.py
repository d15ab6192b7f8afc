"""Data sets that write to what they hold, and do no harm by it: caches, counters, new samples, curricula, buffers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
X = torch.randn(96, 8)
Y = (X.sum(1) > 0).long()
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


class Held(Dataset):
    def __init__(self):
        self.x, self.other = X.clone(), torch.zeros(96, 8)
        self.is_done = torch.zeros(96)
        self.scratch = torch.zeros(8)

    def __len__(self):
        return 96


class Cached(Held):
    def __getitem__(self, index):
        if not self.is_done[index]:
            self.other[index] = self.x[index] * 2
            self.is_done[index] = 1
        return self.other[index], Y[index]


class Counting(Held):
    def __getitem__(self, index):
        self.other[index] += 1 + torch.rand(8)
        return self.x[index], Y[index]


class Fresh(Held):
    def __getitem__(self, index):
        self.x[index] = torch.randn(8)
        return self.x[index], (self.x[index].sum() > 0).long()


class Scratch(Held):
    def __getitem__(self, index):
        self.scratch.copy_(self.x[index]).add_(0.1 * torch.randn(8))
        return self.scratch.clone(), Y[index]


class Plain(Held):
    def __getitem__(self, index):
        return self.x[index], Y[index]

    def make_harder(self):
        self.x.mul_(0.9)


def fit(data, epochs=3, after_batch=lambda: None):
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            after_batch()
        getattr(data, "make_harder", lambda: None)()


for kind in (Cached, Counting, Fresh, Scratch, Plain):
    fit(kind())
buffer = Plain()
fit(buffer, after_batch=lambda: buffer.x[:16].add_(0.01))
