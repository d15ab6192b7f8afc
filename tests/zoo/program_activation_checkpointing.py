"""Activation checkpointing of every block, both kinds, inputs that require grad where that is needed."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(6, 24)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Dropout(0.1)) for _ in range(3))
        self.tail = nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU())
        self.head = nn.Linear(24, 3)

    def forward(self, x):
        x = checkpoint(self.stem, x, use_reentrant=False)
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        x = checkpoint(self.blocks[0], x, use_reentrant=True)
        return self.head(checkpoint_sequential(self.tail, 2, x, use_reentrant=False))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(15):
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
