"""Optimizers that are saved without a state, and have none for a reason."""

import io

import torch
from torch import nn
from torch.optim import SGD, Adam


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def train(model, optimizer, steps=4):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


def save(*parts):
    torch.save({str(i): part.state_dict() for i, part in enumerate(parts)}, io.BytesIO())


torch.manual_seed(0)
model = build()
plain = SGD(model.parameters(), lr=0.05)  # keeps none
train(model, plain)
save(model, plain)

model = build()
optimizer = Adam(model.parameters(), lr=0.01)
save(model, optimizer)  # before the first step
train(model, optimizer)
save(model, optimizer)

model = build()  # the rate was looked for with another one, and training comes later
optimizer = Adam(model.parameters(), lr=0.01)
train(model, Adam(model.parameters(), lr=0.001), steps=8)
save(model, optimizer)
train(model, optimizer)

model = build()  # both phases are saved
first, second = Adam(model.parameters(), lr=0.01), Adam(model.parameters(), lr=0.001)
train(model, first)
save(model, first, second)

model = build()  # a later phase is of another kind
first, second = Adam(model.parameters(), lr=0.01), SGD(model.parameters(), lr=0.001, momentum=0.9)
train(model, first)
save(model, second)

model = build()  # parts that another one does not train
for param in model[2].parameters():
    param.requires_grad_(False)
train(model, Adam(model[0].parameters(), lr=0.01))
for param in model.parameters():
    param.requires_grad_(True)
save(model, Adam(model.parameters(), lr=0.001))
