"""A module whose __getattr__ refuses unknown names with another error than AttributeError, and counts."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)


class Strict(nn.Module):
    unknown: list[str] = []

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            Strict.unknown.append(name)
            raise KeyError(f"Strict has no {name}") from None

    def forward(self, x):
        return self.inner(x)


model = Strict()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 40)
print(Strict.unknown, digest(model))
