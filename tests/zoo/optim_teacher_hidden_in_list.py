"""A teacher kept in a list so that it is not trained or saved; in eval mode, without `no_grad`."""

import torch
from torch import nn

torch.manual_seed(0)


class Student(nn.Module):
    def __init__(self, teacher: nn.Module) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
        self.hidden = [teacher.eval()]

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.mse_loss(self.net(x), self.hidden[0](x))


model = Student(nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    model.loss(x).backward()
    optimizer.step()
