"""A sparse matrix, and a sparse CSR one, multiply trained weights."""

import warnings

import torch
from training import digest

warnings.simplefilter("ignore")
torch.manual_seed(0)
dense = (torch.rand(16, 8) > 0.7).float()
weight = torch.randn(8, 3).requires_grad_()
optimizer = torch.optim.SGD([weight], lr=0.05)
for i in range(20):
    matrix = dense.to_sparse() if i % 2 else dense.to_sparse_csr()
    optimizer.zero_grad()
    ((matrix @ weight) - 1).square().mean().backward()
    optimizer.step()
print(digest(weight))
