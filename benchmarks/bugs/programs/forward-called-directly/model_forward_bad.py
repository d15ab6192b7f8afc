"""Calls model.forward(x) in the training loop."""

import hashlib

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(0)
model = nn.Sequential(weight_norm(nn.Linear(6, 24)), nn.ReLU(), nn.Linear(24, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(25):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(dim=1)
    optimizer.zero_grad()
    loss = criterion(model.forward(x), y)  # BUG: forward-called-directly
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
