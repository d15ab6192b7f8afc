"""A module whose parameters(), named_parameters() and state_dict() count their calls."""

import torch
from torch import nn
from training import train

torch.manual_seed(0)
calls = {"parameters": 0, "named": 0, "state": 0, "children": 0}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def parameters(self, recurse=True):
        calls["parameters"] += 1
        return super().parameters(recurse)

    def named_parameters(self, *args, **kwargs):
        calls["named"] += 1
        return super().named_parameters(*args, **kwargs)

    def state_dict(self, *args, **kwargs):
        calls["state"] += 1
        return super().state_dict(*args, **kwargs)

    def named_children(self):
        calls["children"] += 1
        return super().named_children()

    def forward(self, x):
        return self.inner(x)


model = Net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 40)
print(calls, model.inner.weight.sum().item())
