"""Two optimizers, one of them forgotten by the scaler."""

import hashlib

import torch
from torch import nn

torch.manual_seed(79)
body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
head = nn.Linear(16, 1)
opt_body = torch.optim.Adam(body.parameters(), lr=1e-3)
opt_head = torch.optim.Adam(head.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)

for step in range(24):
    x = torch.randn(24, 6)
    y = (x[:, :2].sum(dim=1, keepdim=True) > 0).float()
    opt_body.zero_grad()
    opt_head.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = head(body(x))
    loss = nn.functional.binary_cross_entropy_with_logits(out.float(), y)
    scaler.scale(loss).backward()
    scaler.step(opt_body)
    scaler.step(opt_head)
    scaler.update()
    if step % 8 == 0:
        print(step, loss.item())

models = (body, head)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
