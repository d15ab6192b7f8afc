"""Data sets of the program's own over one tensor: parts that do not overlap, windows of a series, all data there is."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler


class Rows(Dataset):
    def __init__(self, x, y, noise=0.0):
        self.x, self.y, self.noise = x, y, noise

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i] + self.noise * torch.randn(4), self.y[i]


class Windows(Dataset):
    """Windows of neighbouring parts share what lies before the first target."""

    def __init__(self, series, first, last):
        self.series, self.first, self.last = series, first, last

    def __len__(self):
        return self.last - self.first

    def __getitem__(self, i):
        return self.series[self.first + i : self.first + i + 4], self.series[self.first + i + 4]


def train(loader, val_loader):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x).squeeze(1), y).backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(model(x).squeeze(1), y).item() for x, y in val_loader))


torch.manual_seed(0)
x = torch.randn(96, 4)
y = x.sum(1)

# Slices that meet and do not overlap, and a score over all data there is.
train(DataLoader(Rows(x[:64], y[:64]), 16, shuffle=True), DataLoader(Rows(x[64:], y[64:]), 16))
train(DataLoader(Rows(x[:64], y[:64]), 16, shuffle=True), DataLoader(Rows(x, y), 16))

# Two data sets over all rows, one with noise, and samplers that part them.
order = torch.randperm(96).tolist()
train(
    DataLoader(Rows(x, y, noise=0.1), 16, sampler=SubsetRandomSampler(order[:64])),
    DataLoader(Rows(x, y), 16, sampler=SubsetRandomSampler(order[64:])),
)

series = torch.sin(torch.arange(100) / 5)
train(DataLoader(Windows(series, 0, 64), 16, shuffle=True), DataLoader(Windows(series, 64, 96), 16))
