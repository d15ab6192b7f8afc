"""Layers kept in a plain list."""

import hashlib

import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes[:-2], sizes[1:-1])]  # BUG: unregistered-module
        self.head = nn.Linear(sizes[-2], sizes[-1])

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))  # BUG: unregistered-module
        return self.head(x)


torch.manual_seed(0)
model = MLP([8, 32, 32, 1])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG: unregistered-module, parameters-not-in-optimizer
for step in range(30):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()  # BUG: unregistered-module
    optimizer.step()  # BUG: unregistered-module
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
