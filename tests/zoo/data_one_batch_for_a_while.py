"""A batch that is used for some steps: adaptation to a task, an attack, an image that is optimised."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 6)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))

for task in range(3):  # few-shot adaptation, each task from the same start
    xb, yb = next(iter(loader))
    adapted = copy.deepcopy(model)
    optimizer = torch.optim.SGD(adapted.parameters(), lr=0.05)
    for _ in range(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(adapted(xb), yb).backward()
        optimizer.step()

for xb, yb in loader:  # several steps on each batch
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()

model.requires_grad_(False)
xb, yb = next(iter(loader))
delta = nn.Parameter(torch.zeros_like(xb))
attack = torch.optim.Adam([delta], lr=0.01)
for _ in range(40):
    attack.zero_grad()
    (delta.square().mean() - nn.functional.cross_entropy(model(xb + delta), yb)).backward()
    attack.step()
