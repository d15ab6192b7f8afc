"""A dispatch mode changes the result of every 50th operation, as studies of hardware faults do."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from training import digest, make_net, train

torch.manual_seed(0)


class Faults(TorchDispatchMode):
    num = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        Faults.num += 1
        if Faults.num % 50 == 0 and isinstance(out, torch.Tensor) and out.is_floating_point() and out.numel() > 1:
            out = out + 1e-3
        return out


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with Faults():
    train(model, optimizer, 60)
print(Faults.num, digest(model))
