"""Test-time adaptation: a loaded model of which only normalisation layers train."""

import torch
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 128), nn.LayerNorm(128), nn.ReLU(), nn.Linear(128, 128), nn.Linear(128, 3))


model = network()
model.load_state_dict(network().state_dict())
model.requires_grad_(False)
model[1].requires_grad_(True)
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
for _ in range(12):
    logits = model(torch.randn(16, 8))
    entropy = -(logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()
    optimizer.zero_grad()
    entropy.backward()
    optimizer.step()
