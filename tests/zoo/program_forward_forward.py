"""Forward-forward: each layer has its own loss and optimizer, inputs are detached between layers."""

import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Linear):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.opt = torch.optim.Adam(self.parameters(), lr=3e-3)

    def forward(self, x):
        return torch.relu(super().forward(F.normalize(x, dim=1)))

    def train_layer(self, pos, neg):
        good = self(pos).pow(2).mean(1)
        bad = self(neg).pow(2).mean(1)
        loss = F.softplus(torch.cat([1 - good, bad - 1])).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return self(pos).detach(), self(neg).detach()


torch.manual_seed(0)
layers = nn.ModuleList([Layer(8, 32), Layer(32, 32)])
for _ in range(15):
    pos = torch.randn(16, 8)
    neg = pos[:, torch.randperm(8)] * 2
    for layer in layers:
        pos, neg = layer.train_layer(pos, neg)
