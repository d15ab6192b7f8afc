"""One head per task in a dict."""

import hashlib

import torch
import torch.nn as nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.heads = {name: nn.Linear(24, width) for name, width in tasks.items()}  # BUG: unregistered-module

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}  # BUG: unregistered-module


torch.manual_seed(12)
net = MultiTask({"sum": 1, "sign": 2})
opt = torch.optim.SGD(net.parameters(), lr=0.05)  # BUG: unregistered-module, parameters-not-in-optimizer
for step in range(30):
    x = torch.randn(32, 6)
    out = net(x)
    loss = nn.functional.mse_loss(out["sum"], x.sum(1, keepdim=True))
    loss = loss + nn.functional.cross_entropy(out["sign"], (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()  # BUG: unregistered-module
    opt.step()  # BUG: unregistered-module
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
