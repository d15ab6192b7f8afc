"""Averaged models that need no new batch-norm statistics, or get them."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)


def net(norm):
    return nn.Sequential(nn.Linear(4, 16), norm, nn.ReLU(), nn.Linear(16, 1))


def batch():
    x = torch.randn(16, 4) + 1
    return x, x.sum(1, keepdim=True)


def run(model, lr=0.05, recalibrate=False, **options):
    average = AveragedModel(model, **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(6):
        model.train()
        for _ in range(6):
            x, y = batch()
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        average.update_parameters(model)
    if recalibrate:
        update_bn([batch()[0] for _ in range(4)], average)
    average.eval()
    with torch.no_grad():
        return average(batch()[0])


run(net(nn.BatchNorm1d(16)), recalibrate=True)
run(net(nn.BatchNorm1d(16)), use_buffers=True)
run(net(nn.BatchNorm1d(16)), multi_avg_fn=get_ema_multi_avg_fn(0.9))
run(net(nn.BatchNorm1d(16)), lr=1e-4)
run(net(nn.GroupNorm(4, 16)))
