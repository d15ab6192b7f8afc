"""A softmax over the moments of a sequence weighs them; another one, over the classes, makes the prediction."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
score, head = nn.Linear(4, 5), nn.Linear(4, 5)
optimizer = torch.optim.Adam([*score.parameters(), *head.parameters()], lr=1e-3)
for _ in range(6):
    x, y = torch.randn(16, 7, 4), torch.randint(0, 5, (16,))
    weights = F.softmax(score(x), dim=1)  # one distribution over moments for each class
    logits = (weights * head(x)).sum(1)
    loss = F.nll_loss(F.log_softmax(logits, dim=-1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
