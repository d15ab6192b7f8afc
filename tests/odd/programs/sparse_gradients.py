"""Sparse gradients of embeddings, with SparseAdam beside Adam."""

import torch
from torch import nn
from torch.nn import functional
from training import digest

torch.manual_seed(0)
embedding, head = nn.Embedding(50, 8, sparse=True), nn.Linear(8, 3)
optimizers = [torch.optim.SparseAdam(embedding.parameters(), lr=0.01), torch.optim.Adam(head.parameters(), lr=0.01)]
for _ in range(20):
    words = torch.randint(0, 50, (16, 4))
    for optimizer in optimizers:
        optimizer.zero_grad()
    functional.cross_entropy(head(embedding(words).mean(1)), words.sum(1) % 3).backward()
    for optimizer in optimizers:
        optimizer.step()
print(embedding.weight.grad.is_sparse, digest(embedding, head))
