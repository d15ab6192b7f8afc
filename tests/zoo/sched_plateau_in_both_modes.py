"""ReduceLROnPlateau in max mode fed an accuracy, in min mode fed a loss, and fed a loss that overfits."""

import torch

torch.manual_seed(0)
x, other = torch.randn(256, 8), torch.randn(64, 8)
y, noise = (x.sum(1) > 0).long(), torch.randint(0, 2, (64,))


def train(mode, metric, num_samples=256):
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode=mode, patience=2)
    for _ in range(8):
        for batch in torch.randperm(num_samples).split(32):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        with torch.no_grad():
            scheduler.step(metric(model))


def accuracy(model):
    return (model(x).argmax(1) == y).float().mean().item()


train("max", accuracy)
train("min", lambda model: 1 - accuracy(model))
train("min", lambda model: torch.nn.functional.cross_entropy(model(x), y))
train("min", lambda model: torch.nn.functional.cross_entropy(model(other), noise), num_samples=64)
train("min", lambda model: (model(other).argmax(1) != noise).float().mean(), num_samples=64)
