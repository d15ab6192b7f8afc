"""Losses appended to a list for plotting."""

import hashlib

import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.history = []

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.opt.step()
        self.history.append(loss.detach())


torch.manual_seed(6)
trainer = Trainer(nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 1)))
for _ in range(60):
    x = torch.randn(16, 6)
    trainer.step(x, x.norm(dim=1, keepdim=True))
print(sum(h.item() for h in trainer.history) / 60)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
