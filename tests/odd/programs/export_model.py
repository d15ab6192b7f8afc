"""torch.export in the middle of a training."""

import torch
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 10)
x, _ = make_batch()
exported = torch.export.export(model, (x,))
print([node.op for node in exported.graph.nodes], torch.equal(exported.module()(x), model(x)))
train(model, optimizer, 10)
print(digest(model))
