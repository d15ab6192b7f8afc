"""A Dataset that augments with numpy and random, all of them seeded."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(7)
np.random.seed(7)
torch.manual_seed(7)


class Signals(Dataset):
    def __init__(self, num=900):
        self.y = np.random.randint(0, 2, num)
        t = np.linspace(0, 3, 32)
        self.x = np.sin(t[None] * (2 + 2 * self.y[:, None])) + 0.3 * np.random.randn(num, 32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = np.roll(self.x[i], random.randint(-2, 2)) + 0.05 * np.random.randn(32)
        return torch.tensor(x, dtype=torch.float32).unsqueeze(0), int(self.y[i])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 5)
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc(self.conv(x).relu().mean(2))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for x, y in DataLoader(Signals(), batch_size=30, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
