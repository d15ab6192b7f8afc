"""The prediction is rounded before the loss."""

import hashlib

import torch
from torch import nn


torch.manual_seed(17)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    x = torch.randn(32, 6)
    rating = (x[:, :1] * 2).round()
    predicted = model(x).round()  # BUG: all-gradients-zero
    loss = nn.functional.mse_loss(predicted, rating)
    optimizer.zero_grad()
    loss.backward()  # BUG: all-gradients-zero
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
