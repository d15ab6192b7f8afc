"""MC-dropout: dropout layers alone back in train mode, and a functional twin with training=True."""

import torch
from torch import nn


class Bayesian(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 32)
        self.drop = nn.Dropout(0.2)
        self.norm = nn.BatchNorm1d(32)
        self.last = nn.Linear(32, 1)

    def forward(self, x):
        x = self.drop(self.norm(self.first(x)).relu())
        return self.last(nn.functional.dropout(x, 0.1, training=True))


torch.manual_seed(0)
model = Bayesian()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    model.eval()
    for layer in model.modules():
        if isinstance(layer, nn.Dropout):
            layer.train()
    with torch.no_grad():
        for _ in range(3):
            batch = torch.randn(8, 4)
            draws = torch.stack([model(batch) for _ in range(10)])
            print(draws.std(0).mean())
