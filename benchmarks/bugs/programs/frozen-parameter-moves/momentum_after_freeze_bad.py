"""Freezes the backbone after a warm-up phase, the optimizer keeps its momentum and its old gradient."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
head = nn.Linear(24, 2)
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.02, momentum=0.9, weight_decay=1e-3)
for step in range(30):
    if step == 10:
        backbone.requires_grad_(False)
    x = torch.randn(32, 6)
    y = (x[:, :3].sum(1) > 0).long()
    optimizer.zero_grad(set_to_none=False)
    loss = nn.functional.cross_entropy(head(backbone(x)), y)
    loss.backward()
    optimizer.step()  # BUG: frozen-parameter-moves
    if step % 10 == 0:
        print(step, loss.item())
models = (backbone, head)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
