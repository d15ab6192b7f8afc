"""The stack as the program sees it from inside hooks, modules and backward: its own frames, in the same order."""

import inspect
import traceback

import torch
from torch import nn
from training import digest, train

stacks = []


class Look(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        look()
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        look()
        return grad


def look():
    names = [(f.function, f.lineno) for f in inspect.stack() if "programs" in f.filename]
    stacks.append((names, [f.name for f in traceback.extract_stack() if "programs" in f.filename]))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def forward(self, x):
        look()
        return Look.apply(self.inner(x))


torch.manual_seed(0)
model = Net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 6)
print(len(stacks), stacks[0], digest(stacks), digest(model))
