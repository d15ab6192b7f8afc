"""Test-time adaptation with an optimizer over all parameters of a loaded model, of which only norms train."""

import torch
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 128), nn.LayerNorm(128), nn.ReLU(), nn.Linear(128, 128), nn.Linear(128, 3))


model = network()
model.load_state_dict(network().state_dict())
for module in model.modules():
    for p in module.parameters(recurse=False):
        p.requires_grad = isinstance(module, nn.LayerNorm)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    logits = model(torch.randn(16, 8))
    entropy = -(logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()
    optimizer.zero_grad()
    entropy.backward()
    optimizer.step()
