"""A time series is read from its beginning to its end, epoch after epoch, with a state carried along."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TimeSeries(Dataset):
    def __init__(self, length):
        self.values = torch.sin(torch.arange(length) / 5)

    def __len__(self):
        return len(self.values) - 8

    def __getitem__(self, index):
        return self.values[index : index + 8], self.values[index + 8 : index + 9]


torch.manual_seed(0)
loader = DataLoader(TimeSeries(136), batch_size=16)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

tokens = torch.randn(128, 8)
bptt_loader = DataLoader(tokens, batch_size=16, shuffle=False)
for _ in range(4):
    for x in bptt_loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
