"""Encoder output detached by mistake."""

import hashlib

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.decoder = nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 6))

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(z.detach())  # BUG: graph-cut


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(model(x), x)  # BUG: graph-cut
    optimizer.zero_grad()
    loss.backward()  # BUG: graph-cut
    optimizer.step()  # BUG: graph-cut
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
