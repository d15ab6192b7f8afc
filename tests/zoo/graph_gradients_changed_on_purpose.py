"""Custom autograd functions whose gradient is not that of their forward: rounding and gradient reversal."""

import torch
from torch import nn
from torch.nn import functional


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x * 4) / 4

    @staticmethod
    def backward(ctx, grad):
        return grad


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


torch.manual_seed(0)
body = nn.Sequential(nn.Linear(5, 8), nn.Tanh())
label, domain = nn.Linear(8, 3), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*body.parameters(), *label.parameters(), *domain.parameters()], lr=2e-3)
for _ in range(16):
    x = torch.randn(24, 5)
    features = Round.apply(body(x))
    loss = functional.cross_entropy(label(features), x[:, :3].argmax(1))
    loss = loss + functional.cross_entropy(domain(Reverse.apply(features, 0.1)), (x[:, 4] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
