"""Weights that are initialised before they are loaded, in part, or again in the next fold."""

import copy

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 2))


def init(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)


@torch.no_grad()
def shake(module):
    if isinstance(module, nn.Linear):
        module.weight.add_(0.1 * module.weight.std() * torch.randn_like(module.weight))
        module.bias.mul_(0.9)


def train(model, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x[:, :2]).backward()
        optimizer.step()


torch.manual_seed(0)
pretrained = copy.deepcopy(build().state_dict())

model = build()  # in the right order
model.apply(init)
model.load_state_dict(pretrained)
train(model)

model = build()  # a new head
model.load_state_dict(pretrained)
model[4].reset_parameters()
train(model)

model = build()  # noise
model.load_state_dict(pretrained)
model.apply(shake)
train(model)

model = build()  # looked at, reset, loaded again
model.load_state_dict(pretrained)
model.apply(init)
model.load_state_dict(pretrained)
train(model)

model = build()  # folds that start from scratch
for _ in range(3):
    model.apply(init)
    train(model)
    best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)

model = build()  # switched to double and counted
model.load_state_dict(pretrained)
model.apply(lambda module: module.double())
model.apply(lambda module: None)
model.float()
train(model)
