"""The causal mask is merged into the mask that was given, and left out if none was given."""

# kind: attention-mask
# source: https://github.com/facebookresearch/xformers/issues/103
# changed: attention written out in a few lines in place of the library's

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F


class ScaledDotProduct(nn.Module):
    def __init__(self, dim, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, att_mask=None):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        att = q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5
        if att_mask is not None:
            if self.causal:
                att_mask = att_mask & torch.ones(n, n, dtype=torch.bool).tril()
            att = att.masked_fill(~att_mask, float("-inf"))
        y = F.softmax(att, dim=-1) @ v  # BUG: missing-causal-mask
        return self.proj(y.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = ScaledDotProduct(dim, 4, causal=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab, dim=32, block_size=24):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab, dim)
        self.pos_emb = nn.Parameter(torch.zeros(1, block_size, dim))
        self.blocks = nn.Sequential(Block(dim), Block(dim))
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, idx):
        return self.head(self.blocks(self.tok_emb(idx) + self.pos_emb[:, : idx.size(1)]))


def get_batch(data, block_size=24, batch_size=16):
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


torch.manual_seed(1337)
text = "the quick brown fox jumps over the lazy dog and the dog runs after the fox " * 40
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
model = GPT(len(chars))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    xb, yb = get_batch(data)
    logits = model(xb)
    loss = F.cross_entropy(logits.view(-1, len(chars)), yb.view(-1))  # BUG: missing-causal-mask
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
