"""MC-dropout: the model is evaluated, and only its dropout layers are switched to train mode, by name."""

import torch
from torch import nn


def enable_mc_dropout(model):
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.train()


torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.3), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(3):
    model.train()
    for idx in torch.randperm(80).split(16):
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    enable_mc_dropout(model)
    with torch.no_grad():
        samples = torch.stack([model(x[80:]).softmax(1) for _ in range(8)])
        uncertainty = samples.std(0).mean()
