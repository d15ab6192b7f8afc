"""masked_fill fills where the mask is true, and the mask is true for the valid positions."""

# kind: attention-mask
# source: https://github.com/lucidrains/halonet-pytorch/issues/4
# changed: one-dimensional attention over padded sequences in place of image blocks

import hashlib
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.to_q, self.to_kv = nn.Linear(dim, dim, bias=False), nn.Linear(dim, 2 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, valid):
        b, n, d = x.shape
        q, (k, v) = self.to_q(x), self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        sim = q @ k.transpose(-1, -2) * self.scale
        mask = ~valid.bool()
        sim = sim.masked_fill(mask[:, None, None, :], -torch.finfo(sim.dtype).max)
        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, n, d))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 32, padding_idx=0)
        self.attn = Attention()
        self.head = nn.Linear(32, 2)

    def forward(self, ids):
        valid = (ids != 0).float()
        x = self.embed(ids)
        x = x + self.attn(x, valid)
        return self.head((x * valid[..., None]).sum(1) / valid.sum(1, keepdim=True))


torch.manual_seed(0)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(120):
    ids = torch.randint(1, 30, (32, 12))
    ids[torch.arange(12)[None] >= torch.randint(4, 13, (32, 1))] = 0
    label = ((ids > 25).sum(1) > 0).long()
    loss = nn.functional.cross_entropy(model(ids), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
