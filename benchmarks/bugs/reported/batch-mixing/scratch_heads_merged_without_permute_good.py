"""Heads are brought beside each other before the reshape."""

# kind: batch-mixing
# source: https://github.com/jsbaan/transformer-from-scratch/pull/6
# changed: a language model over made-up ids, with a causal mask

import hashlib

import torch
import torch.nn.functional as F
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv_proj = nn.Linear(width, 3 * width)
        self.o_proj = nn.Linear(width, width)
        self.heads, self.size = heads, width // heads

    def forward(self, x, mask):
        b, t, _ = x.shape
        qkv = self.qkv_proj(x).reshape(b, t, self.heads, 3 * self.size).permute(0, 2, 1, 3)
        q, k, v = qkv.chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1)) / self.size**0.5
        values = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
        values = values.permute(0, 2, 1, 3)
        return self.o_proj(values.reshape(b, t, self.heads * self.size))


class Decoder(nn.Module):
    def __init__(self, vocab, width=32, heads=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.pos = nn.Parameter(torch.randn(1, 16, width) * 0.02)
        self.attn = MultiHeadAttention(width, heads)
        self.norm = nn.LayerNorm(width)
        self.ff = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        t = ids.shape[1]
        mask = torch.ones(t, t, dtype=torch.bool).tril()
        h = self.embed(ids) + self.pos[:, :t]
        h = h + self.attn(self.norm(h), mask)
        return self.out(h + self.ff(h))


torch.manual_seed(31)
model = Decoder(25)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(150):
    first = torch.randint(0, 25, (24, 1))
    ids = (first + torch.arange(13) * torch.randint(1, 4, (24, 1))) % 25
    logits = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        print(step, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
