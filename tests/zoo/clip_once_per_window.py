"""Clips once per accumulation window; an exact tail step; parameters passed as generator, list, filter and tensor."""

import torch
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
data = torch.randn(70, 4)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def clip(step: int) -> None:
    match step % 4:
        case 0:
            clip_grad_norm_(model.parameters(), 1.0)
        case 1:
            clip_grad_norm_(list(model.parameters()), max_norm=1.0)
        case 2:
            clip_grad_norm_(filter(lambda p: p.requires_grad, model.parameters()), 1.0)
        case 3:
            clip_grad_norm_((p for _, p in model.named_parameters()), 1.0, norm_type=2)


updates = 0
for _ in range(4):
    batches = data[torch.randperm(70)].split(10)
    for start in range(0, len(batches), 3):
        window = batches[start : start + 3]
        for x in window:
            loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / len(window)
            loss.backward()
        clip(updates)
        optimizer.step()
        optimizer.zero_grad()
        updates += 1
