"""Pretrained weights are loaded, the body is frozen and a new head is trained."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(12, 32), nn.Tanh())
torch.save(body.state_dict(), "body.pt")
model = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 2))
model[:2].load_state_dict(torch.load("body.pt"))
for parameter in model[:2].parameters():
    parameter.requires_grad = False
x = torch.randn(1500, 12)
y = (x[:, 0] + x[:, 1] > 0).long()
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=0.01)
for _ in range(4):
    for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=25, shuffle=True):
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
