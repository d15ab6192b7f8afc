"""Clips by value under a grad scaler, fp16 autocast on the CPU."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.amp import GradScaler


def train(model, optimizer, scaler, steps):
    model.train()
    for step in range(steps):
        x = torch.randn(24, 8)
        y = (x > 0).float()
        optimizer.zero_grad()
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            logits = model(x)
            loss = F.binary_cross_entropy_with_logits(logits.float(), y)
        scaler.scale(loss).backward()
        nn.utils.clip_grad_value_(model.parameters(), clip_value=0.1)  # BUG: clip-before-unscale
        scaler.step(optimizer)
        scaler.update()
        if step % 10 == 0:
            print(f"{step}: {loss.item():.4f}")


torch.manual_seed(19)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
train(net, torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9), GradScaler("cpu", init_scale=2.0**14), 30)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
