"""Trainer with separate hooks for before and after the step."""

import hashlib

import torch
import torch.nn as nn


class Runner:
    def __init__(self, model, k):
        self.model, self.k = model, k
        self.opt = torch.optim.SGD(model.parameters(), lr=0.05)

    def before_batch(self, i):
        self.model.zero_grad()  # BUG: micro-batches-discarded

    def after_batch(self, i):
        if i % self.k == self.k - 1:
            self.opt.step()

    def run(self, steps):
        for i in range(steps):
            x = torch.randn(12, 3)
            target = x.prod(dim=1, keepdim=True)
            self.before_batch(i)
            loss = nn.functional.mse_loss(self.model(x), target)
            (loss / self.k).backward()
            self.after_batch(i)
        return loss.item()


torch.manual_seed(6)
net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
print(Runner(net, k=3).run(36))
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
