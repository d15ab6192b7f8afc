"""A model is traced symbolically, and the traced module trained."""

import torch
from torch import fx
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
traced = fx.symbolic_trace(model)
print([str(node.target) for node in traced.graph.nodes])
train(traced, torch.optim.SGD(traced.parameters(), lr=0.1), 10)
print(traced.code.strip(), digest(model))
