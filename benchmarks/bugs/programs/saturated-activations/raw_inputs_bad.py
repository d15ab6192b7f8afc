"""Inputs of a tanh network are left in their own units."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
income = 40_000 + 15_000 * torch.randn(512, 6)
target = (income - 40_000).mean(1, keepdim=True) / 15_000
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(100):
    batch = torch.randint(512, (64,))
    x = income[batch]  # BUG: saturated-activations
    loss = nn.functional.mse_loss(model(x), target[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: saturated-activations
    if step % 20 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
