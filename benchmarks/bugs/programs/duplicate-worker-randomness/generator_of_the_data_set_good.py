"""Augmentation draws from numpy's global generator, which torch seeds in each worker."""

import hashlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Augmented(Dataset):
    def __init__(self, num=96):
        self.x = torch.linspace(-1, 1, num)[:, None].repeat(1, 8)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        noise = torch.from_numpy(np.random.normal(size=8)).float()
        return self.x[index] + 0.1 * noise, self.x[index, :1]


torch.manual_seed(0)
loader = DataLoader(Augmented(), batch_size=8, shuffle=True, num_workers=2, multiprocessing_context="fork")
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
