"""A projection is made anew in every forward."""

# kind: parameters
# source: https://github.com/gupta-abhay/setr-pytorch/issues/4
# changed: a small regression; the layer is a projection of a residual block

import hashlib
import torch
from torch import nn

torch.manual_seed(21)


class Block(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.fc1 = nn.Linear(inputs, width)
        self.fc2 = nn.Linear(width, width)
        self.skip = nn.Linear(inputs, width)

    def forward(self, x):
        h = self.fc2(torch.relu(self.fc1(x)))
        return torch.relu(h + self.skip(x))


model = nn.Sequential(Block(6, 16), Block(16, 32), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(120):
    x = torch.randn(32, 6)
    loss = (model(x) - x.abs().sum(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
