"""Sparse gradients for an embedding, dense ones for the rest: two optimizers step together."""

import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(100, 8, sparse=True)
head = nn.Linear(8, 2)
sparse = torch.optim.SparseAdam(list(embed.parameters()), lr=1e-2)
dense = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(20):
    ids = torch.randint(0, 100, (16, 4))
    loss = nn.functional.cross_entropy(head(embed(ids).mean(1)), (ids[:, 0] > 50).long())
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
