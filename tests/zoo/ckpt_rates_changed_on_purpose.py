"""After loading an optimizer: a new warm-up, a rate set by hand, a new second phase, a schedule run forward."""

import io

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, LinearLR, OneCycleLR, StepLR


def train(model, optimizer, scheduler, steps=8):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()


def resume(file):
    file.seek(0)
    checkpoint = torch.load(file, weights_only=True)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return model, optimizer


torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train(model, optimizer, StepLR(optimizer, step_size=4))
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)

model, optimizer = resume(file)  # by hand
for group in optimizer.param_groups:
    group["lr"] = 5e-3
train(model, optimizer, None)

model, optimizer = resume(file)  # a second phase with a rate of its own
for group in optimizer.param_groups:
    group["lr"] = group["initial_lr"] = 4e-3
train(model, optimizer, StepLR(optimizer, step_size=4))

model, optimizer = resume(file)  # a new warm-up
train(model, optimizer, LinearLR(optimizer, start_factor=0.01, total_iters=8))

model, optimizer = resume(file)
train(model, optimizer, OneCycleLR(optimizer, max_lr=2e-3, total_steps=8))

model, optimizer = resume(file)  # a function of the step, made where the run had stopped
train(model, optimizer, LambdaLR(optimizer, lambda step: 0.1 ** (step // 4), last_epoch=8))
