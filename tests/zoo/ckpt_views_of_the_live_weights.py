"""State dicts that are meant to be views: saved every epoch, synchronised from, averaged, changed in place."""

import io

import torch
from torch import nn

torch.manual_seed(0)


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def train(model, optimizer, steps):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


model, target, average = build(), build(), build()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
state = {"model": model.state_dict(), "epoch": 0}  # made once, always up to date
live = model.state_dict()
for epoch in range(4):
    train(model, optimizer, 5)
    state["epoch"] = epoch
    torch.save(state, io.BytesIO())
    target.load_state_dict(live)
    target.load_state_dict(model.state_dict())
    with torch.no_grad():
        kept = average.state_dict()
        for name, value in model.state_dict().items():
            kept[name].mul_(0.9).add_(value, alpha=0.1)
    average.load_state_dict(kept)

server, clients = build(), [build() for _ in range(2)]
for _ in range(3):  # federated rounds
    weights = server.state_dict()
    for client in clients:
        client.load_state_dict(weights)
        train(client, torch.optim.SGD(client.parameters(), lr=0.05), 4)
    for name in weights:
        weights[name].copy_(torch.stack([client.state_dict()[name] for client in clients]).mean(0))
    server.load_state_dict(weights)

mixed = model.state_dict()
train(model, optimizer, 3)
for name in mixed:
    mixed[name] = mixed[name] + 0.01 * torch.randn_like(mixed[name])
model.load_state_dict(mixed)
train(model, optimizer, 3)
