"""ParameterList, ParameterDict, and weights that two layers share."""

import torch
from torch import nn
from torch.nn import functional
from training import digest, make_batch


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ParameterList([torch.randn(8, 8) / 3 for _ in range(3)])
        self.named = nn.ParameterDict({"bias": torch.zeros(8), "scale": torch.ones(())})
        self.head, self.other = nn.Linear(8, 3), nn.Linear(8, 3)
        self.other.weight = self.head.weight

    def forward(self, x):
        for layer in self.layers:
            x = (x @ layer).tanh()
        x = x * self.named["scale"] + self.named["bias"]
        return self.head(x) + self.other(x)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
print(len(list(model.parameters())), digest(model))
