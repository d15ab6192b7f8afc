"""A module class that keeps a setting named `requires_grad` for itself and reads it."""

import torch
from torch import nn

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self, requires_grad: bool) -> None:
        super().__init__()
        self.requires_grad = requires_grad
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (self.weight if self.requires_grad else self.weight.detach())


model = nn.Sequential(nn.Linear(8, 3), Scale(requires_grad=False))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
