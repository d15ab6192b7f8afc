"""The average of the weights is written into its parameters."""

import copy
import hashlib

import torch
from torch import nn

torch.manual_seed(0)


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
        self.ema_net = copy.deepcopy(self.net).requires_grad_(False)

    @torch.no_grad()
    def follow(self):
        for average, weight in zip(self.ema_net.parameters(), self.net.parameters()):
            average.lerp_(weight, 0.01)


model = Student()
optimizer = torch.optim.Adam(model.net.parameters(), lr=3e-3)
for _ in range(100):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model.net(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.follow()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
