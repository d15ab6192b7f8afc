"""Numpy is seeded by the sample's index, so that each sample has one augmentation for ever."""

# kind: data
# source: https://github.com/torch-points3d/torch-points3d/pull/247
# changed: vectors in place of point clouds; seeded by the index
# gap: numbers that are seeded by the index of a sample are also how data sets are made up

import hashlib
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(n, 8)).astype("float32")
        self.y = (self.x.sum(1) > 0).astype("int64")

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        np.random.seed(index)  # BUG: duplicate-worker-randomness, same-augmentation-every-epoch
        noise = np.random.normal(scale=0.5, size=8).astype("float32")  # BUG: duplicate-worker-randomness, same-augmentation-every-epoch
        return torch.from_numpy(self.x[index] + noise), int(self.y[index])


torch.manual_seed(0)
np.random.seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
loader = DataLoader(Noisy(160), batch_size=16, shuffle=True)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(8):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
