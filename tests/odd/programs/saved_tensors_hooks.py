"""Hooks on saved tensors count what is packed and unpacked."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
packed, unpacked = [], []


def pack(tensor):
    packed.append(tuple(tensor.shape))
    return tensor.clone()


def unpack(tensor):
    unpacked.append(tuple(tensor.shape))
    return tensor


with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    train(model, optimizer, 30)
with torch.autograd.graph.save_on_cpu():
    train(model, optimizer, 5)
print(len(packed), len(unpacked), digest(packed, unpacked), digest(model))
