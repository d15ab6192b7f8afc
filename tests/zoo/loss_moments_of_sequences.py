"""Softmaxes over the classes of sequences, given to the loss moment by moment, at the end, or turned."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
length, batch, classes = 7, 16, 5
losses = (
    lambda z, y: F.nll_loss(F.log_softmax(z, -1)[-1], y[-1]),
    lambda z, y: sum(F.nll_loss(F.log_softmax(z, -1)[t], y[t]) for t in range(length)),
    lambda z, y: F.nll_loss(F.log_softmax(z, 2).permute(0, 2, 1), y),
    lambda z, y: F.nll_loss(F.log_softmax(z.transpose(1, 2), 1)[-1].t(), y[-1]),
)
for loss_of in losses:
    body, head = nn.GRU(4, 12), nn.Linear(12, classes)
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
    for _ in range(5):
        x, y = torch.randn(length, batch, 4), torch.randint(0, classes, (length, batch))
        loss = loss_of(head(body(x)[0]), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
