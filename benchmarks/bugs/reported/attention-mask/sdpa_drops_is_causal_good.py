"""Attention is causal only if no mask is passed, and the padding mask always is."""

# kind: attention-mask
# source: https://github.com/huggingface/transformers/issues/48748
# changed: one layer with scaled_dot_product_attention in place of Doge

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, mask):
        b, t, d = x.shape
        qkv = self.in_proj(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self.out_proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.norm2(x))


class Doge(nn.Module):
    def __init__(self, vocab=36, dim=32):
        super().__init__()
        self.embed, self.pos = nn.Embedding(vocab, dim), nn.Embedding(20, dim)
        self.layers = nn.ModuleList([Layer(dim), Layer(dim)])
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, input_ids, attention_mask, labels):
        t = input_ids.size(1)
        keep = attention_mask[:, None, None, :].bool()
        keep = keep & torch.ones(t, t, dtype=torch.bool).tril()
        x = self.embed(input_ids) + self.pos.weight[:t]
        for layer in self.layers:
            x = layer(x, keep)
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return loss, logits


torch.manual_seed(3)
model = Doge()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(110):
    ids = torch.cumsum(torch.randint(1, 4, (16, 20)), dim=1) % 36
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}
    loss, _ = model(**batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("loss", loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
