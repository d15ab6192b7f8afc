"""Default dtype and device are changed around everything."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
torch.set_default_device("cpu")
torch.set_printoptions(precision=2)
torch.use_deterministic_algorithms(True)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 30)
torch.set_default_device("meta")
shape = torch.empty(3).device
torch.set_default_device(None)
print(model[0].weight.dtype, shape, digest(model), torch.are_deterministic_algorithms_enabled())
