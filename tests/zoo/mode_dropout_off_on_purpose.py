"""Dropout that is off in training by intent: from the start, by schedule, in a later phase, in a frozen part."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def net():
    encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2))
    return nn.Sequential(encoder, nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2)), nn.Linear(8, 1))


def run(model, prepare, epochs=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        model.train()
        prepare(model, epoch)
        for _ in range(10):
            x = torch.randn(16, 4)
            loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(torch.randn(16, 4))


def encoder_off(model, epoch):
    model[0].eval()


def encoder_off_later(model, epoch):
    if epoch >= 2:
        model[0].eval()


def frozen_later(model, epoch):
    if epoch >= 2:
        model[0].eval()
        model[0].requires_grad_(False)
        for param in model[0].parameters():
            param.grad = None


def by_schedule(model, epoch):
    model[0][2].p = 0.2 * (1 - epoch / 3)


for prepare in (encoder_off, encoder_off_later, frozen_later, by_schedule, lambda model, epoch: None):
    run(net(), prepare)
