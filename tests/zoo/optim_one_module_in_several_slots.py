"""Modules that stand in several slots, and rightly so: one head for all layers, weights shared by name, no weights."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Detector(nn.Module):
    """As in Deformable DETR: one head reads the output of every layer."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        head = nn.Linear(8, 2)
        self.heads = nn.ModuleList([head for _ in range(3)])

    def forward(self, x):
        outputs = []
        for layer, head in zip(self.layers, self.heads, strict=True):
            x = layer(x).relu()
            outputs.append(head(x))
        return sum(outputs)


class CrossLayer(nn.Module):
    """As in ALBERT: all layers share their weights."""

    def __init__(self):
        super().__init__()
        shared = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        self.layers = nn.ModuleList([shared] * 3)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


class Loop(nn.Module):
    """One cell that is called again and again."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.Linear(8, 8)])
        self.act = nn.Sequential(*[nn.PReLU()] * 2)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for _ in range(3):
            x = self.act(self.cells[0](x))
        return self.head(x)


class Experts(nn.Module):
    """Slots that name one frozen module."""

    def __init__(self):
        super().__init__()
        frozen = nn.Linear(8, 8).requires_grad_(False)
        self.features = nn.Sequential(frozen, nn.Tanh(), frozen)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.features(x))


for model in (Detector(), CrossLayer(), Loop(), Experts()):
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    for _ in range(6):
        x = torch.randn(16, 8)
        loss = F.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
