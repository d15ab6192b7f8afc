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

# Attention over the labels of a support set gives probabilities, whose logarithm the loss takes; scores that are never
# negative, and similarities, are no probabilities.
embed = nn.Linear(4, 6)
optimizer = torch.optim.Adam(embed.parameters(), lr=1e-3)
for _ in range(6):
    classes = torch.arange(5).repeat_interleave(2)
    support, x, y = torch.randn(10, 4), torch.randn(16, 4), torch.randint(0, 5, (16,))
    similar = F.cosine_similarity(embed(x)[:, None], embed(support)[None], dim=-1)
    probabilities = (10 * similar).softmax(-1) @ F.one_hot(classes, 5).float()
    loss = F.nll_loss((probabilities + 1e-8).log(), y) + F.cross_entropy(similar, y) + F.cross_entropy(similar.abs(), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
