"""Weights in bfloat16 whose decay is felt, is rounded together with the update, or is part of the gradient."""

import torch
from torch import nn

torch.manual_seed(0)
felt = {"lr": 0.05, "weight_decay": 0.5}
makers = (
    lambda params: torch.optim.AdamW(params, **felt),
    lambda params: torch.optim.AdamW(params, lr=0.01, weight_decay=0.1, fused=True),
    lambda params: torch.optim.SGD(params, lr=0.05, weight_decay=0.1),
    lambda params: torch.optim.AdamW(params, lr=0.01),
)
for make in makers:
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).to(torch.bfloat16)
    optimizer = make(model.parameters())
    for _ in range(12):
        x = torch.randn(32, 8, dtype=torch.bfloat16)
        loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
