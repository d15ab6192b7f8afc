"""WeightedRandomSampler gets a weight for each class in place of each sample, so that only the first three samples are drawn."""

# kind: data
# source: https://github.com/deep-voice/soundbay/pull/49
# changed: vectors in place of sounds, three classes

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(14)
y = torch.multinomial(torch.tensor([0.8, 0.15, 0.05]), 240, replacement=True)
x = torch.randn(240, 6) + y[:, None]
counts = torch.bincount(y, minlength=3)
weights = 1.0 / counts
sampler = WeightedRandomSampler(weights, num_samples=len(y))  # BUG: samples-never-drawn
loader = DataLoader(TensorDataset(x, y), batch_size=24, sampler=sampler)  # BUG: samples-never-drawn
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
