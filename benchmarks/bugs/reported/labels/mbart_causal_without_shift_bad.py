"""A causal language model compares the prediction at each position with the token it has just read."""

# kind: labels
# source: https://github.com/huggingface/transformers/issues/27517
# changed: a small decoder of one attention layer in place of MBart

import hashlib
import math

import torch
import torch.nn as nn
from torch.nn import CrossEntropyLoss


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d)
        scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
        return self.out(scores.softmax(-1) @ v)


class ForCausalLM(nn.Module):
    def __init__(self, vocab_size=28, d=32):
        super().__init__()
        self.vocab_size = vocab_size
        self.embed_tokens = nn.Embedding(vocab_size, d)
        self.embed_positions = nn.Embedding(24, d)
        self.attn = Attention(d)
        self.norm = nn.LayerNorm(d)
        self.fc = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.lm_head = nn.Linear(d, vocab_size)

    def forward(self, input_ids, labels=None):
        x = self.embed_tokens(input_ids) + self.embed_positions.weight[: input_ids.shape[1]]
        x = x + self.attn(x)
        x = self.norm(x + self.fc(x))
        logits = self.lm_head(x)
        loss = None
        if labels is not None:
            loss_fct = CrossEntropyLoss()
            loss = loss_fct(logits.view(-1, self.vocab_size), labels.view(-1))  # BUG: labels-not-shifted
        return (loss, logits)


def collate(n):
    first, stride = torch.randint(0, 28, (n, 1)), torch.randint(1, 5, (n, 1))
    input_ids = (first + stride * torch.arange(20)) % 28
    return {"input_ids": input_ids, "labels": input_ids.clone()}


torch.manual_seed(1)
model = ForCausalLM()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(120):
    loss, _ = model(**collate(16))
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step % 40 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
