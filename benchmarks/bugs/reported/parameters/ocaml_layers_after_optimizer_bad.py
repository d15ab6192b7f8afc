"""Layers are made after the optimizer, which sees those that the model had then."""

# kind: parameters
# source: https://github.com/LaurentMazare/ocaml-torch/issues/36
# changed: in Python; a regression whose head is built when its size is known

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)


class Net(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.body = nn.Linear(inputs, 32)

    def build(self, outputs):
        self.head = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, outputs))

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


def data(n=32):
    x = torch.rand(n, 6)
    return x, torch.stack([x.sum(1), x.prod(1)], 1)


model = Net(6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # BUG: parameters-not-in-optimizer
model.build(2)  # BUG: parameters-not-in-optimizer
for it in range(150):
    x, y = data()
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 50 == 0:
        print(it, loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
