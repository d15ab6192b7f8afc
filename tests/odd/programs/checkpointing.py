"""Activation checkpointing of both kinds, nested, with dropout and its random state."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from training import digest, make_batch, random_state

torch.manual_seed(0)
calls = 0


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.drop = nn.Linear(8, 8), nn.Dropout(0.2)

    def forward(self, x):
        global calls
        calls += 1
        return x + self.drop(self.inner(x).tanh())


first, second, head = Block(), nn.Sequential(Block(), Block()), nn.Linear(8, 3)
params = [*first.parameters(), *second.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
for i in range(20):
    x, y = make_batch()
    x.requires_grad_()
    optimizer.zero_grad()
    h = checkpoint(first, x, use_reentrant=bool(i % 2))
    h = checkpoint_sequential(second, 2, h, use_reentrant=bool(i % 2))
    functional.cross_entropy(head(h), y).backward()
    optimizer.step()
print(calls, digest(*params), random_state())
