"""A warm-up that begins again after a resume, below the rate of the checkpoint, and a schedule that is loaded."""

import io

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


def train(model, optimizer, scheduler):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()


for decay in (lambda step: min(1.0, (step + 1) / 20), lambda step: 0.95**step):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = LambdaLR(optimizer, decay)
    train(model, optimizer, scheduler)
    file = io.BytesIO()
    parts = {"model": model, "optimizer": optimizer}
    if decay(0) == 1.0:
        parts["scheduler"] = scheduler
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    file.seek(0)
    checkpoint = torch.load(file)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = LambdaLR(optimizer, decay)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    if decay(0) == 1.0:
        scheduler.load_state_dict(checkpoint["scheduler"])
    train(model, optimizer, scheduler)
