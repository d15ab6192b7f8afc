"""The norm is measured with a limit of infinity: before the step, after it, and once per micro-batch."""

import torch
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
norms = []
for _ in range(10):
    optimizer.zero_grad()
    for _ in range(2):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 2
        loss.backward()
        norms.append(float(clip_grad_norm_(model.parameters(), float("inf"))))
    optimizer.step()
    norms.append(float(clip_grad_norm_(model.parameters(), 1e9)))
