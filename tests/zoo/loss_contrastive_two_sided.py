"""Two-sided contrastive losses: softmax over rows and over columns of one similarity matrix."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
image, text = nn.Linear(8, 4), nn.Linear(6, 4)
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.Adam([*image.parameters(), *text.parameters(), scale], lr=1e-3)
own = torch.arange(16)
for i in range(12):
    z = torch.randn(16, 8)
    a, b = F.normalize(image(z), dim=1), F.normalize(text(z[:, :6]), dim=1)
    similarity = a @ b.t() * scale.exp()
    if i % 3 == 0:
        loss = (F.cross_entropy(similarity, own) + F.cross_entropy(similarity.t(), own)) / 2
    elif i % 3 == 1:
        columns, rows = F.log_softmax(similarity, dim=0), F.log_softmax(similarity, dim=1)
        loss = (F.nll_loss(columns, own) + F.nll_loss(rows, own)) / 2
    else:
        loss = -F.log_softmax(similarity, dim=0).diag().mean() - F.log_softmax(similarity, dim=1).diag().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# Scores of a column of candidates, and time-first scores transposed before the loss.
scorer = nn.Linear(8, 1)
second = torch.optim.SGD(scorer.parameters(), lr=0.05)
for _ in range(12):
    candidates = torch.randn(5, 3, 8)
    scores = F.log_softmax(scorer(candidates).squeeze(2), dim=0)
    best = candidates.sum(2).argmax(0)
    loss = F.nll_loss(scores.t(), best)
    alone = F.log_softmax(scorer(candidates[:, 0]), dim=0)
    loss = loss + F.nll_loss(alone.view(1, -1), best[:1])
    second.zero_grad()
    loss.backward()
    second.step()
