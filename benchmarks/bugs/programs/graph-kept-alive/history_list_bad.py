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
        loss = nn.functional.mse_loss(self.model(x), y)  # BUG: graph-kept-alive
        loss.backward()  # BUG: graph-kept-alive
        self.opt.step()  # BUG: graph-kept-alive
        self.history.append(loss)  # BUG: graph-kept-alive


torch.manual_seed(6)
trainer = Trainer(nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 1)))
for _ in range(60):
    x = torch.randn(16, 6)
    trainer.step(x, x.norm(dim=1, keepdim=True))
print(sum(h.item() for h in trainer.history) / 60)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
