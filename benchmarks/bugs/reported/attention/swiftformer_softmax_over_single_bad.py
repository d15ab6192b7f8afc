"""Additive attention takes the softmax of its scores over their last dimension, which has size one."""

# kind: attention
# source: https://github.com/Amshaker/SwiftFormer/issues/2
# changed: a small classifier of made-up token sets in place of the vision model

import hashlib

import torch
from torch import nn
from torch.nn import functional as F


class EfficientAdditiveAttention(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.to_query = nn.Linear(width, width)
        self.to_key = nn.Linear(width, width)
        self.w_g = nn.Parameter(torch.randn(width, 1))
        self.scale = width**-0.5
        self.proj = nn.Linear(width, width)
        self.final = nn.Linear(width, width)

    def forward(self, x):
        query = F.normalize(self.to_query(x), dim=-1)
        key = F.normalize(self.to_key(x), dim=-1)
        weight = query @ self.w_g  # B N 1
        weight = torch.softmax(weight * self.scale, dim=-1)  # BUG: all-gradients-zero
        pooled = torch.sum(weight * query, dim=1)  # BUG: all-gradients-zero
        pooled = pooled.unsqueeze(1).expand(-1, key.shape[1], -1)
        return self.final(self.proj(pooled * key) + query)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 16)
        self.norm = nn.LayerNorm(16)
        self.attn = EfficientAdditiveAttention()
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        x = self.embed(x)
        x = x + self.attn(self.norm(x))
        return self.head(x.mean(1))


torch.manual_seed(0)
data = torch.randn(256, 10, 8)
labels = data[:, :, :4].amax(1).argmax(1)
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(6):
    order = torch.randperm(256)
    for i in range(0, 256, 32):
        batch = order[i : i + 32]
        loss = F.cross_entropy(net(data[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
