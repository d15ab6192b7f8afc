"""A checkpoint saved from a wrapped model is loaded with strict=False."""

import hashlib
import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))


torch.manual_seed(0)
file = io.BytesIO()
torch.save({f"module.{name}": value for name, value in build().state_dict().items()}, file)
file.seek(0)

model = build()
weights = torch.load(file)
model.load_state_dict(weights, strict=False)  # BUG: checkpoint-mostly-unmatched
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
