"""L-BFGS on batches: its closure evaluates the loss several times in a step."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(2048, 6)
y = torch.cos(x).prod(dim=1, keepdim=True)
model = nn.Sequential(nn.Linear(6, 40), nn.Tanh(), nn.Linear(40, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4, history_size=8)

for step in range(steps):
    batch = torch.randint(0, len(x), (512,))

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x[batch]), y[batch])
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.5f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
