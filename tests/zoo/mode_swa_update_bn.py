"""Stochastic weight averaging, and statistics of batch-norm taken anew: by torch's own function and by hand."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
averaged = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    averaged.update_parameters(model)
    update_bn([torch.randn(16, 4) for _ in range(3)], averaged)
    update_bn([torch.randn(16, 4) for _ in range(3)], model)
for layer in model.modules():
    if isinstance(layer, nn.BatchNorm1d):
        layer.reset_running_stats()
model.train()
with torch.no_grad():
    for _ in range(4):
        model(torch.randn(16, 4))
model.eval()
with torch.no_grad():
    model(torch.randn(64, 4))
