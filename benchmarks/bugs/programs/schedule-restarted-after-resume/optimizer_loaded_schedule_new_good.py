"""A resumed run takes up its optimizer and its schedule."""

import hashlib
import io

import torch
from torch import nn


class Run:
    def __init__(self):
        self.model = nn.Linear(6, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=2, gamma=0.5)
        self.epoch = 0

    def train(self, epochs):
        while self.epoch < epochs:
            for _ in range(10):
                x = torch.randn(16, 6)
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(x), x[:, :1]).backward()
                self.optimizer.step()
            self.scheduler.step()
            self.epoch += 1

    def save(self, file):
        parts = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "scheduler")}
        torch.save({**parts, "epoch": self.epoch}, file)

    def load(self, file):
        state = torch.load(file)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.epoch = state["epoch"]


torch.manual_seed(0)
first, second, file = Run(), Run(), io.BytesIO()
first.train(7)
first.save(file)
file.seek(0)
second.load(file)
second.train(12)
model = second.model

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
