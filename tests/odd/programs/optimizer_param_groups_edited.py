"""param_groups are changed live: rates, parameters moved between groups, a group dropped."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
first, second = model[0], model[2]
optimizer = torch.optim.SGD([{"params": [first.weight, first.bias]}, {"params": [second.weight, second.bias]}], lr=0.1)
for i in range(8):
    optimizer.param_groups[i % 2]["lr"] = 0.05 + 0.01 * i
    train(model, optimizer, 3)
optimizer.param_groups[0]["params"].extend(optimizer.param_groups[1]["params"])
optimizer.param_groups.pop()
train(model, optimizer, 10)
print(len(optimizer.param_groups), digest(model))
