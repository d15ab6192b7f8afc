"""Backward only when there are positives in the batch, but always a step."""

import hashlib

import torch
from torch import nn

torch.manual_seed(53)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
skipped = 0
for step in range(40):
    x = torch.randn(8, 4)
    positive = x[:, 0] > 1.2
    if positive.any():
        loss = -nn.functional.logsigmoid(model(x[positive])).mean()
        optimizer.zero_grad()
        loss.backward()
    else:
        skipped += 1
    optimizer.step()  # BUG: step-without-backward
print("batches without positives:", skipped)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
