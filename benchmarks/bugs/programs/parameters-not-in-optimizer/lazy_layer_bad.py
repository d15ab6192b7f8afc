"""A projection made on the first forward, after the optimizer."""

import hashlib

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.proj = None
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        if self.proj is None:
            self.proj = nn.Linear(x.shape[1], self.hidden)
        return self.body(self.proj(x))


torch.manual_seed(6)
net = Net(24)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)  # BUG: parameters-not-in-optimizer
for step in range(25):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x.norm(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()  # BUG: parameters-not-in-optimizer
    optimizer.step()  # BUG: parameters-not-in-optimizer
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
