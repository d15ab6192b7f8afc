"""A GradScaler skips the first steps, and the schedule advances all the same."""

import warnings

import torch

warnings.simplefilter("ignore")  # torch's about the order: it does not know of the skipped step
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
for _ in range(20):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    scaler.scale(torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
