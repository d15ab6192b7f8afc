"""Masked token losses are summed and divided by the tokens of the whole window, or by a fixed number."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
vocab = 12
model = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, vocab))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for update in range(12):
    micro = []
    for length in (3, 10, 6):
        ids = torch.randint(0, vocab, (4, 10))
        micro.append((ids, (torch.arange(10) < length).float().expand(4, 10)))
    total = sum(mask.sum() for _, mask in micro) if update % 2 else 120
    for ids, mask in micro:
        losses = F.cross_entropy(model(ids).transpose(1, 2), (ids + 1) % vocab, reduction="none")
        ((losses * mask).sum() / total).backward()
    optimizer.step()
    optimizer.zero_grad()
