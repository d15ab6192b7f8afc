"""Truncated backpropagation through time: the state is detached if it is a tensor, or in its parts, or not there."""

import torch
from torch import nn


def repackage(state):  # type: ignore[no-untyped-def]
    if state is None:
        return None
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(repackage(part) for part in state)


torch.manual_seed(0)
embed, lstm, head = nn.Embedding(12, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 12)
first = nn.Parameter(torch.zeros(1, 8, 16))  # learnt: the states that an epoch begins with
parameters = [*embed.parameters(), *lstm.parameters(), *head.parameters(), first]
optimizer = torch.optim.Adam(parameters, lr=5e-3)
text = torch.arange(8 * 120).view(8, 120) % 12
for _ in range(3):
    state = None
    for begin in range(0, 112, 8):
        x, y = text[:, begin : begin + 8], text[:, begin + 1 : begin + 9]
        state = repackage(state) if state is not None else (first, torch.zeros_like(first))
        out, state = lstm(embed(x), state)
        loss = nn.functional.cross_entropy(head(out).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
