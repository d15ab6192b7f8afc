"""Attention over the steps of a sequence, written with nn.MultiheadAttention."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)
x = torch.randn(1600, 9, 8)
y = (x[:, :, 0].mean(1) > 0).long()


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        h = self.inner(x).relu()
        h = h + self.attention(h, h, h, need_weights=False)[0]
        return self.out(h.mean(1))


model = Pooled()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(4):
    for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
