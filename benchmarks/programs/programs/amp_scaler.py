"""Mixed precision: autocast to bfloat16, a gradient scaler, clipping after unscaling."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(4096, 32)
y = (x @ torch.randn(32, 5)).argmax(dim=1)
model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 5))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

for step in range(steps):
    batch = torch.randint(0, len(x), (64,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(x[batch])
        loss = F.cross_entropy(logits.float(), y[batch])
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    if step % 250 == 0:
        print(f"step {step}: loss {loss.item():.4f}, scale {scaler.get_scale():.0f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
