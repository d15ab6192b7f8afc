"""A head is replaced in the middle of training and given to the optimizer as a new group."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(16):
    if step == 8:
        model[2] = nn.Linear(16, 3)
        optimizer.add_param_group({"params": model[2].parameters(), "lr": 0.02})
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
