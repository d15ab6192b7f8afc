"""resume() runs before setup() makes the optimizer, and drops its state."""

# kind: resume
# source: https://github.com/LibreYOLO/libreyolo/pull/277
# changed: both runs in one script, on a small regressor; warm-up is left out

import hashlib
import os
import tempfile

import torch
from torch import nn


class BaseTrainer:
    def __init__(self, seed=0):
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = None
        self.start_epoch = 0

    def setup(self):
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def resume(self, path):
        checkpoint = torch.load(path)  # BUG: optimizer-state-not-restored
        self.model.load_state_dict(checkpoint["model"])  # BUG: optimizer-state-not-restored
        if self.optimizer is not None and "optimizer" in checkpoint:
            self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.start_epoch = checkpoint["epoch"] + 1

    def train(self, epochs, path):
        self.setup()
        for epoch in range(self.start_epoch, epochs):
            for _ in range(20):
                x = torch.randn(32, 6)
                loss = nn.functional.mse_loss(self.model(x), x.prod(1, keepdim=True).tanh())
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()  # BUG: optimizer-state-not-restored
            torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}, path)
            print(epoch, loss.item())


with tempfile.TemporaryDirectory() as folder:
    ckpt = os.path.join(folder, "last.pt")
    first = BaseTrainer()
    first.train(epochs=3, path=ckpt)
    second = BaseTrainer(seed=1)
    second.resume(ckpt)
    second.train(epochs=6, path=ckpt)
final = b"".join(t.detach().float().numpy().tobytes() for t in second.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
