"""Each warning of torch is shown once for each line of the program, and names that line."""

import warnings

import torch
from torch import nn
from torch.nn import functional
from training import digest, make_net, train

warnings.simplefilter("always")
torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 3)
functional.mse_loss(torch.zeros(3, 1), torch.ones(3))
functional.softmax(torch.zeros(2, 2))
nn.functional.l1_loss(torch.zeros(3, 1), torch.ones(3))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    functional.mse_loss(torch.zeros(3, 1), torch.ones(3))
    nn.Softmax()(torch.zeros(2, 2))
    nn.MSELoss()(torch.zeros(3, 1), torch.ones(3))
for one in caught:
    print(one.filename.rsplit("/", 1)[-1], one.lineno, one.category.__name__)
print(digest(model))
