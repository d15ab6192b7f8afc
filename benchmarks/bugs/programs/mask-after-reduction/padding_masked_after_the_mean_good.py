"""The mask is multiplied into the losses of the tokens."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(60):
    x = torch.randn(16, 9, 4)
    mask = (torch.arange(9) < torch.randint(3, 10, (16, 1))).float()
    scores, target = model(x).squeeze(-1), (x[..., 0] > 0).float()
    loss = nn.functional.binary_cross_entropy_with_logits(scores, target, reduction="none")
    loss = (loss * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
