"""A function mode sees every call of torch's Python functions."""

import torch
from torch.overrides import TorchFunctionMode
from training import digest, make_net, train

torch.manual_seed(0)


class Count(TorchFunctionMode):
    names: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        Count.names.append(getattr(func, "__name__", "?"))
        return func(*args, **(kwargs or {}))


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
with Count():
    train(model, optimizer, 40)
print(len(Count.names), digest(Count.names), digest(model))
