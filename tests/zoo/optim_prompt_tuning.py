"""A soft prompt is trained before a model that is left out of the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)


class Prompt(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(4, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.tokens.weight.expand(len(x), -1, -1), x], dim=1)


model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
prompt = Prompt()
optimizer = torch.optim.Adam(prompt.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randn(8, 5, 16), torch.randint(0, 3, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(prompt(x)).mean(1), y).backward()
    optimizer.step()
