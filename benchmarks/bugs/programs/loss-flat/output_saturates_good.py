"""A sigmoid behind an output layer that begins near the share of positives."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
model[2].bias.data.fill_(-0.5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(300):
    x = torch.randn(32, 8)
    y = (x[:, :1] > 0).float()
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
