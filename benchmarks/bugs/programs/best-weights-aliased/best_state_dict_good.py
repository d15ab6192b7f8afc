"""The best weights are copied."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
x, vx = torch.randn(64, 16), torch.randn(64, 16)
y, vy = x[:, :1] + torch.randn(64, 1), vx[:, :1] + torch.randn(64, 1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best_loss, best_state = float("inf"), None
for epoch in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        validation_loss = nn.functional.mse_loss(model(vx), vy).item()
    if validation_loss < best_loss:
        best_loss = validation_loss
        best_state = {name: value.clone() for name, value in model.state_dict().items()}
    print(epoch, loss.item(), validation_loss)
model.load_state_dict(best_state)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
