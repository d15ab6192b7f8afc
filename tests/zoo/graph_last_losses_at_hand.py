"""A moving average over a deque of losses with a maxlen, the best loss and the previous one."""

from collections import deque

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
recent = deque(maxlen=10)
best = previous = None
for _ in range(40):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recent.append(loss)
    average = sum(recent) / len(recent)
    if best is None or loss < best:
        best = loss
    if previous is not None and abs(loss - previous) < 1e-12:
        break
    previous = loss
