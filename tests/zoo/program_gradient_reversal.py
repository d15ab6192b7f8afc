"""Domain-adversarial training with a gradient-reversal layer and two optimizers that step together."""

import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -0.3 * grad


torch.manual_seed(0)
features = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
label_head, domain_head = nn.Linear(24, 2), nn.Linear(24, 2)
optimizer = torch.optim.Adam([*features.parameters(), *label_head.parameters()], lr=2e-3)
domain_optimizer = torch.optim.Adam(domain_head.parameters(), lr=2e-3)
for _ in range(20):
    domain = torch.randint(0, 2, (32,))
    x = torch.randn(32, 6) + 0.5 * domain[:, None]
    h = features(x)
    loss = nn.functional.cross_entropy(label_head(h), (x[:, 0] > 0).long())
    loss = loss + nn.functional.cross_entropy(domain_head(Reverse.apply(h)), domain)
    optimizer.zero_grad()
    domain_optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    domain_optimizer.step()
