"""A checkpoint from before the first step, later ones with the newest state, and one without an optimizer."""

import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
at_first = {"model": copy.deepcopy(model.state_dict()), "optimizer": copy.deepcopy(optimizer.state_dict())}
torch.save(at_first, io.BytesIO())
for _ in range(3):
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x[:, :2]).backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, io.BytesIO())
torch.save({"model": model.state_dict(), "settings": {"param_groups": [], "state": None}}, io.BytesIO())
