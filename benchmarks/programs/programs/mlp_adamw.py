"""A classifier with the usual trimmings: AdamW with two groups, warm-up, cosine decay, clipping."""

import math
import sys

import torch
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(8192, 64)
y = (x @ torch.randn(64, 10)).argmax(dim=1)
model = nn.Sequential(
    nn.Linear(64, 256), nn.LayerNorm(256), nn.GELU(), nn.Dropout(0.1),
    nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU(), nn.Dropout(0.1),
    nn.Linear(256, 10),
)  # fmt: skip
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
decay = [p for p in model.parameters() if p.ndim > 1]
no_decay = [p for p in model.parameters() if p.ndim <= 1]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}], lr=1e-3
)


def schedule(step):
    if step < 50:
        return (step + 1) / 50
    return 0.1 + 0.45 * (1 + math.cos(math.pi * min(1.0, (step - 50) / max(1, steps - 50))))


scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)

for step in range(steps):
    batch = torch.randint(0, len(x), (64,))
    loss = criterion(model(x[batch]), y[batch])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    if step % 200 == 0:
        print(f"step {step}: loss {loss.item():.4f}, lr {scheduler.get_last_lr()[0]:.2e}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
