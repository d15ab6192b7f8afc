"""Parameters are replaced in the model and in the optimizer, frozen and thawed."""

import torch
from torch import nn
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 10)
wider = nn.Linear(16, 3)
with torch.no_grad():
    wider.weight.copy_(model[2].weight)
model[2] = wider
optimizer.param_groups[0]["params"][2:] = list(wider.parameters())
train(model, optimizer, 10)
model[0].weight.data = model[0].weight.data.clone()
train(model, optimizer, 10)
print(digest(model))
