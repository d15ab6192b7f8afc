"""Re-entrant activation checkpointing on the first block."""

import hashlib

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.block2 = nn.Sequential(nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        h = checkpoint(self.block1, x, use_reentrant=True)  # BUG: checkpoint-drops-gradients
        h = self.block2(h)
        return self.head(h)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(25):
    x = torch.randn(32, 6)
    y = (x[:, 0] > x[:, 1]).long()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)  # BUG: checkpoint-drops-gradients
    loss.backward()  # BUG: checkpoint-drops-gradients
    optimizer.step()  # BUG: checkpoint-drops-gradients
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
