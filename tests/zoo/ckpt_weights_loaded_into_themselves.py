"""State dicts that are no best weights: changed in place, loaded where they were compared, or taken at intervals."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best, best_loss = copy.deepcopy(model.state_dict()), float("inf")
for step in range(12):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    state = model.state_dict()
    for value in state.values():
        value.mul_(0.999)
    model.load_state_dict(state)
    if loss.item() < best_loss:
        best_loss = loss.item()
        weights = model.state_dict()
        model.load_state_dict(weights)
        best = {name: value.clone() for name, value in weights.items()}
    if step % 4 == 0:
        regular = model.state_dict()
        model.load_state_dict(regular)
model.load_state_dict(best)
