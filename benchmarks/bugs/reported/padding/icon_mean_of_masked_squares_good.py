"""Squared errors are masked and then averaged over all positions."""

# kind: padding
# source: https://github.com/uncbiag/ICON/pull/83
# changed: series of different lengths in place of images

import hashlib
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(6)
model = nn.GRU(3, 16, batch_first=True)
head = nn.Linear(16, 1)
model.head = head
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    lengths = torch.randint(3, 30, (12,))
    x = pad_sequence([torch.randn(n, 3) for n in lengths.tolist()], batch_first=True)
    mask = torch.arange(x.shape[1])[None] < lengths[:, None]
    target = x.sum(-1).cumsum(1) * 0.3
    error = (head(model(x)[0]).squeeze(-1) - target) ** 2 * mask
    loss = error.sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
