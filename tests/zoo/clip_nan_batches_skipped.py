"""Batches whose loss or gradient is not finite are skipped by the program: by the loss, by the norm, by clearing."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
skipped = 0
for step in range(30):
    x = torch.randn(16, 4)
    if step % 7 == 3:
        x[0, 0] = float("nan")
    if step % 7 == 5:
        x[0, 0] = float("inf")
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), torch.nan_to_num(x, posinf=0.0).sum(1, keepdim=True))
    if step % 2 == 0 and not torch.isfinite(loss):
        skipped += 1
        continue
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if not torch.isfinite(norm):
        optimizer.zero_grad()
        skipped += 1
        continue
    optimizer.step()
assert skipped
