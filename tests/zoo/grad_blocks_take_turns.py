"""Block coordinate descent: an optimizer for each block, one of them steps at a time, all gradients are cleared."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizers = [torch.optim.SGD(model[i].parameters(), lr=0.1) for i in (0, 2, 4)]
losses = []
for step in range(240):
    x = torch.randn(64, 8)
    model.zero_grad()
    loss = nn.functional.mse_loss(model(x), x[:, :3].sum(1, keepdim=True))
    loss.backward()
    optimizers[step % 3].step()
    losses.append(loss.item())
assert sum(losses[-30:]) < 0.8 * sum(losses[:30])
