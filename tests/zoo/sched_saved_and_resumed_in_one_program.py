"""One schedule over several runs, each of which builds everything anew and loads what the last one saved."""

import io

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 6)
y = x[:, :3].argmax(1)
saved = None
for start in (0, 5, 10):
    model = nn.Linear(6, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=15)
    if saved is not None:
        saved.seek(0)
        states = torch.load(saved, weights_only=True)
        model.load_state_dict(states["model"])
        optimizer.load_state_dict(states["optimizer"])
        scheduler.load_state_dict(states["scheduler"])
    for epoch in range(start, start + 5):
        for batch in torch.randperm(64).split(16):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        scheduler.step()
    saved = io.BytesIO()
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    torch.save({name: part.state_dict() for name, part in parts.items()}, saved)
