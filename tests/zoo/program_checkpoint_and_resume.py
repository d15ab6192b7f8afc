"""Saves model, optimizer and schedule, builds all of it anew, loads, and goes on."""

import io

import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=24)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, steps):
    for _ in range(steps):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()


torch.manual_seed(0)
parts = build()
train(*parts, 12)
buffer = io.BytesIO()
torch.save([part.state_dict() for part in parts], buffer)
buffer.seek(0)
fresh = build()
for part, state in zip(fresh, torch.load(buffer, weights_only=True)):
    part.load_state_dict(state)
train(*fresh, 12)
