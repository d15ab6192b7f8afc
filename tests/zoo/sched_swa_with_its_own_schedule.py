"""Weight averaging: one schedule for the first part, SWALR for the rest, which a short run never reaches."""

import torch
from torch.optim.swa_utils import SWALR, AveragedModel

torch.manual_seed(0)
for swa_start in (3, 10):
    model = torch.nn.Linear(4, 1)
    averaged = AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
    swa_scheduler = SWALR(optimizer, swa_lr=0.01)
    for epoch in range(6):
        for _ in range(4):
            x = torch.randn(16, 4)
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
        if epoch >= swa_start:
            averaged.update_parameters(model)
            swa_scheduler.step()
        else:
            scheduler.step()
