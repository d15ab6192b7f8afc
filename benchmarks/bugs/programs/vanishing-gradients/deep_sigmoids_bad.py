"""A deep stack of sigmoids with small weights, by plain descent."""

import hashlib

import torch
from torch import nn


def block(width):
    layer = nn.Linear(width, width)
    nn.init.normal_(layer.weight, std=0.1)
    return nn.Sequential(layer, nn.Sigmoid())  # BUG: vanishing-gradients  ALSO: output-collapsed


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 24), *[block(24) for _ in range(8)], nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for step in range(80):
    x = torch.randn(32, 10)
    loss = nn.functional.mse_loss(model(x), x[:, :1] + x[:, 1:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: vanishing-gradients  ALSO: output-collapsed
    if step % 20 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
