"""A linear warm-up that starts at zero: one advance before the loop, so that the first step is no waste."""

import warnings

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / 5, (31 - step) / 26))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    scheduler.step()
for _ in range(30):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
