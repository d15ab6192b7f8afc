"""torch.jit.trace in the middle of a training, checked and unchecked."""

import torch
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sizes = []
for i in range(6):
    train(model, optimizer, 5)
    traced = torch.jit.trace(model, make_batch()[0], check_trace=i % 2 == 0)
    sizes.append(len(list(traced.inlined_graph.nodes())))
print(sizes, digest(model))
