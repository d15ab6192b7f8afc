"""Orders that are somebody's own business: a sampler of one's own, an iterable-style data set, a single epoch."""

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, Sampler, TensorDataset


class EasyFirst(Sampler):
    def __init__(self, difficulty):
        self.order = difficulty.argsort().tolist()

    def __iter__(self):
        return iter(self.order)

    def __len__(self):
        return len(self.order)


class Pairs(BatchSampler):
    def __iter__(self):
        return iter([[i, i + 1, i + 2, i + 3] for i in range(0, 64, 4)])


class Stored(IterableDataset):
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter(self.x)


torch.manual_seed(0)
x = torch.randn(64, 8)
data = TensorDataset(x)
loaders = [
    (DataLoader(data, batch_size=8, sampler=EasyFirst(x.norm(dim=1))), 3),
    (DataLoader(data, batch_sampler=Pairs(range(64), 4, False)), 3),
    (DataLoader(Stored(x), batch_size=8), 3),
    (DataLoader(data, batch_size=8), 1),
]
for loader, epochs in loaders:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(epochs):
        for batch in loader:
            xb = batch if torch.is_tensor(batch) else batch[0]
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb), xb.sum(1, keepdim=True)).backward()
            optimizer.step()
