"""Trainer that resets the model at the start of fit()."""

import hashlib

import torch
import torch.nn as nn


class Trainer:
    def __init__(self):
        self.model = self.make_model()
        self.optimizer = None

    def make_model(self):
        return nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 3))

    def fit(self, steps):
        self.model = self.make_model()  # start from scratch at each call
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for i in range(steps):
            x = torch.randn(32, 6)
            y = x[:, :3].argmax(dim=1)
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.model.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(8)
trainer = Trainer()
print(trainer.fit(25))
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
