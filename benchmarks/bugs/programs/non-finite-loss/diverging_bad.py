"""A learning rate that is far too large."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
x = torch.randn(256, 8)
y = x.sum(dim=1, keepdim=True) * 3
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
for epoch in range(2):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)  # BUG: non-finite-loss
        loss.backward()  # BUG: non-finite-loss
        optimizer.step()  # BUG: non-finite-loss  ALSO: non-finite-step, loss-spike-at-start
    print(epoch, "done")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
