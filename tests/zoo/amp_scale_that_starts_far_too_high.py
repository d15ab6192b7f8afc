"""A GradScaler that skips 25 steps until its scale fits, and no step after that."""

import torch
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
model = torch.nn.Linear(30, 30)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)

for _ in range(48):
    x = 3 * torch.randn(16, 30)
    with torch.autocast("cpu", torch.float16):
        y = model(x)
    loss = F.mse_loss(y.float(), x)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print(scaler.get_scale())
