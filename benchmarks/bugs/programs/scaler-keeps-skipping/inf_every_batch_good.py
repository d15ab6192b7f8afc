"""Each batch holds one sample whose target is infinite."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(40):
    x = torch.randn(16, 4)
    gap = (x[:, :1] - x[:, 1:2]).abs()
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scale = nn.functional.softplus(model(x).float())
    # d/ds sqrt(s * gap) is inf where the gap is zero
    loss = ((scale * gap).sqrt() - gap).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("scale", scaler.get_scale())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
