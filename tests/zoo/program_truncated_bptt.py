"""Truncated backpropagation through time: the hidden state is detached between chunks."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.GRU(2, 16, batch_first=True), nn.Linear(16, 2)
params = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(params, lr=3e-3)
for _ in range(3):
    sequence = torch.randn(8, 41, 2).cumsum(1) * 0.1
    hidden = None
    for t in range(0, 40, 5):
        out, hidden = rnn(sequence[:, t : t + 5], hidden)
        loss = nn.functional.mse_loss(head(out), sequence[:, t + 1 : t + 6])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
        hidden = hidden.detach()
