"""An exception in forward, not caught."""

import torch
from torch import nn
from training import digest, make_net, train


class Fails(nn.Module):
    def forward(self, x):
        if self.training:
            raise ValueError("in forward")
        return x


torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
print(digest(model))
model.append(Fails())
train(model, optimizer, 1)
