"""Batch-norm with the momentum of torch."""

import hashlib

import torch
from torch import nn


torch.manual_seed(19)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16, momentum=0.01), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for _ in range(12):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 6)
        print(epoch, (model(x).argmax(1) == (x[:, 0] > 0)).float().mean().item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
