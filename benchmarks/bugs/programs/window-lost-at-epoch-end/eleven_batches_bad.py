"""Accumulates four batches; the epoch has eleven."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(88, 6)
y = x.pow(2).sum(dim=1, keepdim=True)
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=5e-3)
loss_fn = nn.MSELoss()
accum = 4

for epoch in range(4):
    optimizer.zero_grad()  # BUG: window-lost-at-epoch-end
    for i, (xb, yb) in enumerate(loader):
        loss = loss_fn(model(xb), yb) / accum
        loss.backward()  # BUG: window-lost-at-epoch-end
        if (i + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(f"epoch {epoch}: {loss.item():.4f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
