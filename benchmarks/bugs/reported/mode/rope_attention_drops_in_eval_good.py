"""Attention is given its dropout rate in train mode only."""

# kind: mode
# source: https://github.com/speechbrain/speechbrain/issues/2888
# changed: a small encoder without rotation of positions

import hashlib

import torch
import torch.nn.functional as F
from torch import nn

class Attention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.heads, self.dropout = heads, dropout

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(8, 32)
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.blocks = nn.ModuleList(Attention(32, 4, 0.1) for _ in range(2))
        self.head = nn.Linear(32, 5)

    def forward(self, feats):
        x = self.inp(feats)
        for norm, block in zip(self.norms, self.blocks):
            x = x + block(norm(x))
        return self.head(x.mean(1))


def make(n):
    feats = torch.randn(n, 12, 8)
    return feats, feats.mean(1)[:, :5].argmax(-1)


torch.manual_seed(11)
train, valid = make(640), make(128)
brain = Encoder()
opt = torch.optim.AdamW(brain.parameters(), lr=1e-3)
for epoch in range(4):
    brain.train()
    for idx in torch.randperm(640).split(32):
        loss = F.cross_entropy(brain(train[0][idx]), train[1][idx])
        loss.backward()
        opt.step()
        opt.zero_grad()
    brain.eval()
    with torch.no_grad():
        print(epoch, F.cross_entropy(brain(valid[0]), valid[1]).item())
final = b"".join(t.detach().double().numpy().tobytes() for t in brain.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
