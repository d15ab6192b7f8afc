"""The optimizer that is saved is the one that trains."""

import hashlib
import io

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)

    def fit(self, steps):
        optimizer = self.optimizer
        for _ in range(steps):
            x = torch.randn(16, 6)
            loss = nn.functional.mse_loss(self.model(x), x.cumsum(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def save(self, file):
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(state, file)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 6))
trainer = Trainer(model)
trainer.fit(60)
trainer.save(io.BytesIO())

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
