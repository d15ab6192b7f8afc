"""A dispatch mode counts every operation: ours must not be among them."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from training import digest, make_net, train

torch.manual_seed(0)


class Count(TorchDispatchMode):
    names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Count.names.append(str(func))
        return func(*args, **(kwargs or {}))


model = make_net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
with Count():
    train(model, optimizer, 40)
print(len(Count.names), digest(Count.names), digest(model))
