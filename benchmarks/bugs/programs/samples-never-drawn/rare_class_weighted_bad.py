"""A classifier of a rare class, whose sampler is to balance the two."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def loader_of(dataset, batch_size=20):
    labels = dataset.tensors[1]
    class_weights = len(labels) / labels.bincount()
    sampler = WeightedRandomSampler(class_weights, len(labels))  # BUG: samples-never-drawn
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler)  # BUG: samples-never-drawn


torch.manual_seed(0)
y = (torch.rand(200) < 0.1).long()
loader = loader_of(TensorDataset(torch.randn(200, 5) + y.unsqueeze(1), y))
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for x, label in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), label)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
