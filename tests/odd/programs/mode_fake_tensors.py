"""Shapes are tried on fake tensors before the real training."""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from training import digest, make_net, train

torch.manual_seed(0)
with FakeTensorMode():
    fake = make_net()
    trial = torch.optim.SGD(fake.parameters(), lr=0.1)
    for _ in range(2):
        trial.zero_grad()
        loss = functional.cross_entropy(fake(torch.randn(4, 8)), torch.zeros(4, dtype=torch.long))
        loss.backward()
        trial.step()
    print(type(loss).__name__, tuple(loss.shape))
del fake, trial
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 40)
print(digest(model))
