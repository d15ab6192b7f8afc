"""One candidate now and then, no target once, tasks that some batches lack, and counts as regression targets."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
scorer = nn.Linear(8, 1)
optimizer = torch.optim.SGD(scorer.parameters(), lr=0.05)
for i in range(12):
    candidates = torch.randn(1 + i % 3, 8)
    scores = scorer(candidates).view(1, -1)
    loss = F.cross_entropy(scores, candidates.sum(1).argmax().view(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

tagger = nn.Linear(8, 5)
second = torch.optim.SGD(tagger.parameters(), lr=0.05)
for i in range(12):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    y[: 16 if i == 5 else 3] = -100
    total = F.cross_entropy(tagger(x), y, reduction="sum")
    second.zero_grad()
    (total / (y != -100).sum().clamp(min=1)).backward()
    second.step()

counts = nn.Linear(8, 1)
heads = nn.Linear(8, 6)
third = torch.optim.SGD([*counts.parameters(), *heads.parameters()], lr=0.01)
for _ in range(12):
    x = torch.randn(16, 8)
    visits = (x[:, :5] > 0).sum(1, keepdim=True).float()
    several = F.mse_loss(heads(x), x.sum(1, keepdim=True).expand(-1, 6))
    third.zero_grad()
    (F.mse_loss(counts(x), visits) + several).backward()
    third.step()

critics = nn.Linear(8, 6)
fourth = torch.optim.SGD(critics.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 8)
    is_real = torch.cat([torch.ones(8, 1), torch.zeros(8, 1)])
    fourth.zero_grad()
    F.mse_loss(critics(x), is_real.expand(-1, 6)).backward()
    fourth.step()

tasks = nn.Linear(8, 5), nn.Linear(8, 5)
fifth = torch.optim.SGD([*tasks[0].parameters(), *tasks[1].parameters()], lr=0.01)
for i in range(12):
    x = torch.randn(16, 8)
    labels = [x[:, :5].argmax(1), x[:, :5].argmin(1)]
    labels[i % 2][:] = -100
    losses = [F.cross_entropy(task(x), y, reduction="sum") / 16 for task, y in zip(tasks, labels, strict=True)]
    fifth.zero_grad()
    (losses[0] + losses[1]).backward()
    fifth.step()
