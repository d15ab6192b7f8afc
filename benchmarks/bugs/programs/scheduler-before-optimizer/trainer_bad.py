"""Trainer with an on_step_begin hook."""

import hashlib
import math

import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, total):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        schedule = lambda step: 0.5 * (1 + math.cos(math.pi * min(step, total) / total))
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, schedule)

    def on_step_begin(self):
        self.optimizer.zero_grad()
        self.scheduler.step()  # BUG: scheduler-before-optimizer

    def on_step_end(self):
        self.optimizer.step()

    def run(self, steps):
        for _ in range(steps):
            self.on_step_begin()
            x = torch.randn(24, 6)
            loss = nn.functional.cross_entropy(self.model(x), x[:, :3].argmax(1))
            loss.backward()
            self.on_step_end()
        return loss.item()


torch.manual_seed(3)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
print(Trainer(net, total=30).run(30))
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
