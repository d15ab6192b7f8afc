"""Moments and channels are to change places for a convolution, and a view is used for it."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(3, 10)
        self.conv = nn.Conv1d(10, 2, 3)

    def forward(self, x):
        h = torch.relu(self.lift(x))
        h = h.view(len(x), 10, x.shape[1])  # BUG: view-in-place-of-transpose
        return self.conv(h).mean(2)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(60):
    x = torch.randn(32, 7, 3)
    loss = nn.functional.mse_loss(model(x), x.mean(1)[:, :2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
