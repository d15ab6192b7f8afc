"""Micro-batches weighted by their number of valid tokens."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
vocab = 12
model = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, vocab))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(12):
    micro = []
    for length in (4, 9, 6):
        ids = torch.randint(0, vocab, (4, length))
        target = (ids + 1) % vocab
        target[torch.rand(4, length) < 0.3] = -100
        micro.append((ids, target))
    total = sum(int((target != -100).sum()) for _, target in micro)
    for ids, target in micro:
        valid = (target != -100).sum()
        loss = F.cross_entropy(model(ids).transpose(1, 2), target)
        (loss * valid / total).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
