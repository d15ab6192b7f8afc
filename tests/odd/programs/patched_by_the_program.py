"""The program wraps torch's functions itself, trains, and takes its wrappers back."""

import torch
from torch.nn import functional
from training import digest, make_net, train

torch.manual_seed(0)
calls = []


def wrapped(name, original):
    def wrapper(*args, **kwargs):
        calls.append(name)
        return original(*args, **kwargs)

    return wrapper


places = [
    (torch.Tensor, "backward"),
    (torch.autograd, "backward"),
    (torch.optim.SGD, "step"),
    (functional, "cross_entropy"),
    (torch.optim.Optimizer, "zero_grad"),
    (torch.nn.Module, "__call__"),
    (torch.nn.Linear, "forward"),
]
originals = [(owner, name, getattr(owner, name)) for owner, name in places]
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
for owner, name, original in originals:
    setattr(owner, name, wrapped(name, original))
train(model, optimizer, 10)
for owner, name, original in originals:
    setattr(owner, name, original)
train(model, optimizer, 5)
print(len(calls), digest(calls), digest(model), all(getattr(o, n) is f for o, n, f in originals))
