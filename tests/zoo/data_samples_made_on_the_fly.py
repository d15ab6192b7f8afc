"""A map-style data set that draws its samples anew each time needs no shuffling; nor does one that reorders itself."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Synthetic(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        x = torch.randn(8)
        return x, (x.sum() > 0).long()


class Reordered(Dataset):
    def __init__(self):
        self.x = torch.randn(64, 8)

    def reorder(self):
        self.x = self.x[torch.randperm(64)]

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return self.x[index], (self.x[index].sum() > 0).long()


torch.manual_seed(0)
for data in (Synthetic(), Reordered()):
    loader = DataLoader(data, batch_size=8)
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        if isinstance(data, Reordered):
            data.reorder()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
