"""MC-dropout by `model.train()`: after a plain evaluation, and by drawing again and again from one input."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(20):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
test = torch.randn(8, 4)
with torch.no_grad():
    draws = torch.stack([model(test) for _ in range(20)])
model.eval()
with torch.no_grad():
    plain = model(test)
model.train()
with torch.no_grad():
    for batch in torch.randn(3, 8, 4):
        print(model(batch).mean())
