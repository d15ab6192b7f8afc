"""clip_grad_norm_ with an infinite limit, used to log the norm: scaled, on every micro-batch, after the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
norms = []
for _ in range(12):
    for _ in range(2):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        scaler.scale(loss / 2).backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item() / scaler.get_scale())
    scaler.step(optimizer)
    scaler.update()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item())
    optimizer.zero_grad()
