"""Model and optimizer are resumed, the schedule begins anew at its peak."""

import hashlib
import io
import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


def build():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = LambdaLR(optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * min(step, 59) / 60)))
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, num_steps):
    for _ in range(num_steps):
        x = torch.randn(32, 8)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(loss.item(), optimizer.param_groups[0]["lr"])


torch.manual_seed(0)
model, optimizer, scheduler = build()
train(model, optimizer, scheduler, 50)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, file)

file.seek(0)
checkpoint = torch.load(file)
model, optimizer, _ = build()
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler = LambdaLR(optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * min(step, 59) / 60)))  # BUG: learning-rate-jumped-after-resume
train(model, optimizer, scheduler, 10)  # BUG: learning-rate-jumped-after-resume
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
