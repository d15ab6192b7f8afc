"""Training from a DataLoader that saves a checkpoint every hundred steps and logs as it goes."""

import sys
import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

steps = int(sys.argv[1])
torch.manual_seed(0)


class Squares(Dataset):
    def __init__(self, num):
        self.x = torch.randn(num, 20)
        self.y = (self.x**2).mean(dim=1, keepdim=True)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def batches(loader):
    while True:
        yield from loader


loader = DataLoader(Squares(2000), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(20, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
running = 0.0

with tempfile.TemporaryDirectory() as folder:
    for step, (x, y) in zip(range(steps), batches(loader)):
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        if step % 100 == 99:
            print(f"step {step}: loss {running / 100:.4f}")
            running = 0.0
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(state, Path(folder) / "last.pt")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
