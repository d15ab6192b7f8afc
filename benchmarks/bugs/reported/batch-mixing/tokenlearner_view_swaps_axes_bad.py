"""A view is meant to swap batch and sequence for attention."""

# kind: batch-mixing
# source: https://github.com/rish-16/tokenlearner-pytorch/issues/1
# changed: a classifier of random token sets around the attention, with smaller sizes

import hashlib
import torch
from torch import nn

torch.manual_seed(10)
B, S, C = 24, 8, 16


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(6, C)
        self.mhsa = nn.MultiheadAttention(C, 4)
        self.head = nn.Linear(C, 5)

    def forward(self, x):
        y = self.embed(x)
        y = y.view(S, -1, C)  # BUG: samples-mixed-in-batch
        y, _ = self.mhsa(y, y, y)
        y = y.reshape(-1, S, C)
        return self.head(y.mean(1))


model = Net()
opt = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(150):
    x = torch.randn(B, S, 6)
    t = x.sum((1, 2)).gt(0).long() * 2
    loss = nn.functional.cross_entropy(model(x), t)  # BUG: samples-mixed-in-batch
    opt.zero_grad()
    loss.backward()
    opt.step()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
