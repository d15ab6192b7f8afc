"""Causal attention with a softmax over the queries: each weight depends on later tokens."""

# kind: attention
# source: https://github.com/karpathy/minGPT/issues/132
# changed: a model of one block on made-up text

import hashlib
import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width=32, heads=4, block=24):
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.heads = heads
        self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).chunk(3, -1))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
        att = F.softmax(att, dim=-2)  # BUG: missing-causal-mask, softmax-over-queries
        y = (att @ v).transpose(1, 2).reshape(b, t, c)  # BUG: missing-causal-mask, softmax-over-queries
        return self.c_proj(y)


class GPT(nn.Module):
    def __init__(self, vocab=30, width=32, block=24):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Embedding(block, width)
        self.ln_1 = nn.LayerNorm(width)
        self.attn = CausalSelfAttention()
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))
        self.lm_head = nn.Linear(width, vocab, bias=False)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        logits = self.lm_head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))  # BUG: missing-causal-mask


torch.manual_seed(1337)
text = torch.randint(0, 30, (3000,))
text[1::2] = (text[::2] * 7 + 3) % 30
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(120):
    starts = torch.randint(0, len(text) - 25, (12,))
    x = torch.stack([text[s : s + 24] for s in starts])
    y = torch.stack([text[s + 1 : s + 25] for s in starts])
    logits, loss = model(x, y)  # BUG: missing-causal-mask
    model.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
