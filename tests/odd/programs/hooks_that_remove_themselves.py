"""A hook removes itself, one changes the output, one changes the gradient."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
calls = []


def once(module, args):
    calls.append(type(module).__name__)
    handle.remove()


handle = model[0].register_forward_pre_hook(once)
model[1].register_forward_hook(lambda module, args, out: out * 1.5)
model[0].weight.register_hook(lambda grad: grad * 0.5)
train(model, optimizer, 20)
print(calls, digest(model))
