"""One function serves both phases and puts the network in train mode in both."""

# kind: mode
# source: https://github.com/princeton-vl/pytorch_stacked_hourglass/issues/44
# changed: a small network finds the brightest spot of a row

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def make(n):
    where = torch.randint(0, 16, (n,))
    heat = torch.exp(-0.5 * (torch.arange(16)[None] - where[:, None]).float().pow(2))
    return TensorDataset((heat + 0.3 * torch.randn(n, 16)).unsqueeze(1), heat.unsqueeze(1))


net = nn.Sequential(nn.Conv1d(1, 12, 5, padding=2), nn.BatchNorm1d(12), nn.ReLU(), nn.Conv1d(12, 1, 5, padding=2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
loaders = {"train": DataLoader(make(256), 32, shuffle=True), "valid": DataLoader(make(64), 32)}


def make_step(phase, inputs, labels):
    net.train()  # BUG: evaluating-in-train-mode
    if phase == "train":
        loss = nn.functional.mse_loss(net(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    else:
        with torch.no_grad():
            loss = nn.functional.mse_loss(net(inputs), labels)  # BUG: evaluating-in-train-mode
    return loss.item()


for epoch in range(6):
    for phase in ("train", "valid"):
        losses = [make_step(phase, x, y) for x, y in loaders[phase]]
        print(epoch, phase, sum(losses) / len(losses))

weights = b"".join(p.detach().numpy().tobytes() for p in net.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
