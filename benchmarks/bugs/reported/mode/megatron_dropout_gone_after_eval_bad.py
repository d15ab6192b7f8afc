"""The first forward in eval mode sets the dropout probability to 0 for good."""

# kind: mode
# source: https://github.com/NVIDIA/Megatron-LM/pull/411
# changed: attention with torch's own kernel in place of FlashAttention
# gap: the probability is an argument of a function, which programs also change on purpose

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, attention_dropout):
        super().__init__()
        self.heads, self.dropout_p = heads, attention_dropout
        self.qkv = nn.Linear(dim, 3 * dim)
        self.dense = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if not self.training:
            self.dropout_p = 0.0  # BUG: dropout-lost
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout_p)  # BUG: dropout-lost
        return self.dense(y.transpose(1, 2).reshape(b, t, d))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(25, 32)
        self.norm = nn.LayerNorm(32)
        self.attention = SelfAttention(32, 4, attention_dropout=0.2)
        self.out = nn.Linear(32, 5)

    def forward(self, ids):
        x = self.embed(ids)
        return self.out((x + self.attention(self.norm(x))).mean(1))


torch.manual_seed(0)
ids = torch.randint(0, 25, (600, 9))
labels = ids.sum(1) % 5
labels = torch.where(ids[:, 0] < 20, ids[:, 0] // 5, labels)
model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(6):
    model.train()
    for idx in torch.randperm(500).split(25):
        loss = F.cross_entropy(model(ids[idx]), labels[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, F.cross_entropy(model(ids[500:]), labels[500:]).item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
