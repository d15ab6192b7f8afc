"""Splits a large batch into chunks so that it fits into memory."""

import hashlib

import torch
import torch.nn as nn

torch.manual_seed(8)
data = torch.randn(512, 1, 12)
labels = (data.mean(dim=(1, 2)) > 0).float()

model = nn.Sequential(
    nn.Conv1d(1, 6, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(24, 1), nn.Flatten(0)
)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
bce = nn.BCEWithLogitsLoss()

for step in range(12):
    idx = torch.randperm(512)[:64]
    big_x, big_y = data[idx], labels[idx]
    opt.zero_grad()
    for cx, cy in zip(big_x.chunk(4), big_y.chunk(4)):
        bce(model(cx), cy).backward()  # BUG: accumulation-not-averaged
    opt.step()
    if step % 4 == 3:
        with torch.no_grad():
            print(step, bce(model(data), labels).item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
