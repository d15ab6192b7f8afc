"""A resumed run restores model and optimizer, and leaves the average of the weights in the file."""

import copy
import hashlib
import io

import torch
from torch import nn

class Run:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
        self.ema = copy.deepcopy(self.model).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def save(self, file):
        parts = {"model": self.model, "ema": self.ema, "optimizer": self.optimizer}
        torch.save({name: part.state_dict() for name, part in parts.items()}, file)

    def resume(self, file):
        checkpoint = torch.load(file)
        self.model.load_state_dict(checkpoint["model"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])  # BUG: checkpoint-part-not-restored

    def train(self, steps):
        for _ in range(steps):
            x = torch.randn(32, 6)
            loss = nn.functional.cross_entropy(self.model(x), x[:, :3].argmax(1))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            with torch.no_grad():
                for average, weight in zip(self.ema.parameters(), self.model.parameters()):
                    average.lerp_(weight, 0.05)


file = io.BytesIO()
run = Run(0)
run.train(40)
run.save(file)
file.seek(0)
run = Run(1)
run.resume(file)
run.train(40)
model = run.ema

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
