"""The probability is 0 in evaluation."""

# kind: mode
# source: https://github.com/karpathy/nanoGPT/pull/240
# changed: one block on made-up text, on the CPU

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
data = (torch.arange(2000) * 7 % 23 + torch.randint(0, 2, (2000,))) % 24


class Attention(nn.Module):
    def __init__(self, width=24, heads=3, dropout=0.2):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.dropout = heads, dropout

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (z.view(B, T, self.heads, -1).transpose(1, 2) for z in self.c_attn(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(24, 24), nn.Embedding(16, 24)
        self.attn, self.head = Attention(), nn.Linear(24, 24)

    def forward(self, idx):
        h = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        return self.head(h + self.attn(h))


def get_batch(low, high):
    ix = torch.randint(low, high - 17, (12,))
    rows = torch.stack([data[i : i + 17] for i in ix])
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def estimate_loss():
    model.eval()
    losses = []
    for _ in range(4):
        x, y = get_batch(1700, 2000)
        losses.append(F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item())
    model.train()
    return sum(losses) / len(losses)


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for it in range(120):
    if it % 40 == 0:
        print(it, estimate_loss())
    x, y = get_batch(0, 1700)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print(estimate_loss())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
