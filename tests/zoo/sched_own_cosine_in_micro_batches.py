"""A hand-written cosine whose length counts micro-batches and is advanced by each of them."""

import math

import torch

torch.manual_seed(0)
total = 48
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: 0.5 * (1 + math.cos(math.pi * min(i / total, 1))))
for i in range(total):
    x = torch.randn(8, 4)
    (torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4).backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
    if i < total - 1:
        scheduler.step()
