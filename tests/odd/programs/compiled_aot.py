"""torch.compile by AOTAutograd, with fullgraph, of a function around the loss."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="aot_eager", fullgraph=True)
def loss_of(x, y):
    return functional.cross_entropy(model(x), y)


for _ in range(15):
    x, y = make_batch()
    optimizer.zero_grad()
    loss_of(x, y).backward()
    optimizer.step()
print(digest(model))
