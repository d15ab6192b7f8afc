"""Forward-mode derivatives, with dual tensors inside a model."""

import torch
from torch.autograd import forward_ad
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tangents = []
for _ in range(4):
    train(model, optimizer, 5)
    x, _ = make_batch()
    with forward_ad.dual_level():
        out = model(forward_ad.make_dual(x, torch.ones_like(x)))
        tangents.append(digest(forward_ad.unpack_dual(out).tangent))
print(tangents, digest(model))
