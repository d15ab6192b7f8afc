"""An exception in a custom backward, caught once and then not."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net, train


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("in backward")


torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = make_batch()
for _ in range(3):
    train(model, optimizer, 5)
    optimizer.zero_grad()
    try:
        functional.cross_entropy(Fails.apply(model(x)), y).backward()
    except ValueError as error:
        print(error)
    optimizer.zero_grad()
train(model, optimizer, 5)
print(digest(model))
functional.cross_entropy(Fails.apply(model(x)), y).backward()
