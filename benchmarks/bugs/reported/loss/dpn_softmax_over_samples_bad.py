"""Prototype probabilities are normalised over the samples."""

# kind: loss
# source: https://github.com/Lackel/DPN/issues/1
# changed: vectors in place of sentences; a nearest prototype

import hashlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(5)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
prototypes = F.normalize(torch.randn(6, 16), dim=1)
centers = torch.randn(6, 10) * 1.5
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(100):
    label = torch.randint(6, (24,))
    z = F.normalize(model(centers[label] + torch.randn(24, 10)), dim=1)
    logits = z @ prototypes.T / 0.2
    p = F.softmax(logits, dim=0)  # BUG: softmax-over-batch, samples-mixed-in-batch
    loss = -(p[torch.arange(24), label] + 1e-8).log().mean()  # BUG: softmax-over-batch, samples-mixed-in-batch
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
