"""Clip call placed between zero_grad and backward."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 4)
    y = (x[:, 0] - x[:, 3]).unsqueeze(1)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG: clip-without-gradients
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
