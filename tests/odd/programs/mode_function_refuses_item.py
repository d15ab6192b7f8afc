"""A function mode that refuses to read values, to prove that a loop never waits for the device."""

import torch
from torch.overrides import TorchFunctionMode
from training import digest, make_net, train

torch.manual_seed(0)


class NoSync(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in (torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.__bool__, torch.Tensor.__float__):
            raise RuntimeError("this loop must not wait for values")
        return func(*args, **(kwargs or {}))


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with NoSync():
    train(model, optimizer, 40)
print(digest(model))
