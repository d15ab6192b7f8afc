"""Four optimizers compared on the same problem, in one loop."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.linspace(-1, 1, 1000)[:, None]
y = x**2 + 0.1 * torch.randn_like(x)
names = ("SGD", "Momentum", "RMSprop", "Adam")
nets = {name: nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1)) for name in names}
optimizers = {
    "SGD": torch.optim.SGD(nets["SGD"].parameters(), lr=0.01),
    "Momentum": torch.optim.SGD(nets["Momentum"].parameters(), lr=0.01, momentum=0.8),
    "RMSprop": torch.optim.RMSprop(nets["RMSprop"].parameters(), lr=0.01, alpha=0.9),
    "Adam": torch.optim.Adam(nets["Adam"].parameters(), lr=0.01, betas=(0.9, 0.99)),
}
losses = {name: [] for name in nets}

for _ in range(steps):
    batch = torch.randint(0, len(x), (32,))
    for name, net in nets.items():
        loss = F.mse_loss(net(x[batch]), y[batch])
        optimizers[name].zero_grad()
        loss.backward()
        optimizers[name].step()
        losses[name].append(loss.item())

for name, values in losses.items():
    print(f"{name}: first {values[0]:.4f}, last {values[-1]:.4f}")
weights = [p for net in nets.values() for p in net.parameters()]
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
