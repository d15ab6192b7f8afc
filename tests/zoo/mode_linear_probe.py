"""A linear probe: the whole model in eval mode, everything frozen but the head; then a head of its own."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1))
model = nn.Sequential(backbone, nn.Linear(16, 2))
backbone.requires_grad_(False)
model.eval()
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

head = nn.Sequential(nn.Dropout(0.1), nn.Linear(16, 2))
optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    with torch.no_grad():
        features = backbone(x)
    loss = nn.functional.cross_entropy(head(features), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
