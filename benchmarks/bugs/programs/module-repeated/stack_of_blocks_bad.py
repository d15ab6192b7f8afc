"""Six layers of a stack are one and the same object."""

import hashlib

import torch
from torch import nn


torch.manual_seed(7)


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layer = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.layers = nn.Sequential(*[layer] * depth)  # BUG: module-repeated
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.layers(x))


model = Stack(8, 6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
