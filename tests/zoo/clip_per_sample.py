"""Differentially private SGD by hand: each sample's gradient is clipped, taken away and summed with noise."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
params = list(model.parameters())
for _ in range(8):
    x = torch.randn(6, 4)
    total = [torch.zeros_like(p) for p in params]
    for sample in x:
        loss = torch.nn.functional.mse_loss(model(sample[None]), sample.sum().view(1, 1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        for kept, p in zip(total, params, strict=True):
            kept += p.grad
        optimizer.zero_grad()
    for kept, p in zip(total, params, strict=True):
        p.grad = (kept + 0.01 * torch.randn_like(kept)) / len(x)
    optimizer.step()
    optimizer.zero_grad()
