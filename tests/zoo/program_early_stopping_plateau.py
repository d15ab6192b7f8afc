"""ReduceLROnPlateau on the validation loss, best weights kept by deepcopy, stopped early."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
x, v = torch.randn(160, 4), torch.randn(40, 4)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
best, best_state, bad = float("inf"), None, 0
for _ in range(8):
    model.train()
    for idx in torch.randperm(160).split(32):
        loss = nn.functional.mse_loss(model(x[idx]), x[idx].sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(v), v.sum(1, keepdim=True)).item()
    scheduler.step(val)
    if val < best:
        best, best_state, bad = val, copy.deepcopy(model.state_dict()), 0
    else:
        bad += 1
        if bad == 3:
            break
model.load_state_dict(best_state)
