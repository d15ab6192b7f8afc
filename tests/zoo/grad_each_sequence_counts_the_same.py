"""Policy gradients as in GRPO: a micro-batch is one answer, and the mean over its own tokens is what is meant."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
vocab = 12
model = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, vocab))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(12):
    for length in (3, 10, 6):
        ids = torch.randint(0, vocab, (1, 10))
        mask = (torch.arange(10) < length).float()[None]
        losses = F.cross_entropy(model(ids).transpose(1, 2), (ids + 1) % vocab, reduction="none")
        ((losses * mask).sum() / mask.sum() / 3).backward()
    optimizer.step()
    optimizer.zero_grad()
