"""A run is resumed from its checkpoint, with the state of the optimizer."""

import hashlib
import tempfile
from pathlib import Path

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)
        self.step = 0

    def train(self, num_steps):
        for _ in range(num_steps):
            x = torch.randn(32, 8)
            loss = nn.functional.mse_loss(self.model(x), x[:, :1])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
        print(self.step, loss.item())

    def save(self, path):
        torch.save({"model": self.model.state_dict(), "optim": self.optimizer.state_dict(), "step": self.step}, path)

    def load(self, path):
        checkpoint = torch.load(path)
        self.model.load_state_dict(checkpoint["model"])
        self.optimizer.load_state_dict(checkpoint["optim"])
        self.step = checkpoint["step"]


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    first = Trainer()
    first.train(40)
    first.save(Path(folder) / "last.pt")
    trainer = Trainer()
    trainer.load(Path(folder) / "last.pt")
trainer.train(20)
model = trainer.model
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
