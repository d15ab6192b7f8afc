"""Pseudo-labels guessed without gradient in train mode before every step, as MixMatch does."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(3):
    model.train()
    for _ in range(8):
        x, unlabelled = torch.randn(16, 8), torch.randn(16, 8)
        with torch.no_grad():
            guesses = [model(unlabelled + 0.1 * torch.randn_like(unlabelled)).softmax(1) for _ in range(2)]
            target = sum(guesses) / len(guesses)
        loss = nn.functional.cross_entropy(model(x), torch.randint(0, 3, (16,)))
        loss = loss + nn.functional.mse_loss(model(unlabelled).softmax(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        model(torch.randn(32, 8))
