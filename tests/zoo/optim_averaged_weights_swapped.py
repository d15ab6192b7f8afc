"""Averaged weights are swapped in as new parameter objects for evaluation, and out again."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
averaged = model.weight.detach().clone()
for step in range(16):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    averaged = 0.9 * averaged + 0.1 * model.weight.detach()
    if step % 4 == 3:
        trained = model.weight
        model.weight = nn.Parameter(averaged.clone())
        model.eval()
        with torch.no_grad():
            model(x)
        model.weight = trained
        model.train()
