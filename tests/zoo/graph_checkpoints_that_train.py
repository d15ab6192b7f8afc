"""Re-entrant checkpoints fed by an embedding and by inputs that require a gradient, and one around a frozen block."""

import warnings

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

warnings.filterwarnings("ignore", message="None of the inputs")
torch.manual_seed(0)
embedding = nn.Embedding(16, 8)
frozen = nn.Linear(8, 8).requires_grad_(False)
blocks = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(3))
head = nn.Linear(8, 4)
trained = [*embedding.parameters(), *blocks.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(trained, lr=1e-3)
for _ in range(10):
    tokens = torch.randint(16, (24,))
    h = embedding(tokens)
    for block in blocks:
        h = checkpoint(block, h, use_reentrant=True)
    h = h + checkpoint(frozen, torch.randn(24, 8), use_reentrant=True)
    loss = functional.cross_entropy(head(h), tokens % 4)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
