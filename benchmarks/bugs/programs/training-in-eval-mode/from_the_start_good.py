"""Loads weights for inference first, then fine-tunes without model.train()."""

import hashlib
import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))


torch.manual_seed(4)
buffer = io.BytesIO()
torch.save(build().state_dict(), buffer)
buffer.seek(0)

model = build()
model.load_state_dict(torch.load(buffer, weights_only=True))
model.eval()
with torch.no_grad():
    print("sanity check", model(torch.randn(4, 8)).shape)

model.train()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(25):
    x = torch.randn(32, 8)
    y = (x[:, :4].sum(dim=1) > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
