"""nanoGPT style inner loop over micro steps, with clipping."""

import hashlib

import torch
import torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(1337)
block_size, batch_size, vocab = 16, 8, 24
gradient_accumulation_steps = 4
max_iters = 12
text = torch.randint(0, vocab, (2000,))
text[1::2] = (text[0::2] + 1) % vocab  # every other token can be predicted


def get_batch():
    ix = torch.randint(len(text) - block_size - 1, (batch_size,))
    x = torch.stack([text[i : i + block_size] for i in ix])
    y = torch.stack([text[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab, 32)
        self.wpe = nn.Embedding(block_size, 32)
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.block = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.ln_f = nn.LayerNorm(32)
        self.lm_head = nn.Linear(32, vocab, bias=False)

    def forward(self, idx, targets):
        t = idx.size(1)
        x = self.wte(idx) + self.wpe(torch.arange(t))
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        x = self.ln_f(self.block(x, mask=mask, is_causal=True))
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss


model = TinyLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)

X, Y = get_batch()
for iter_num in range(max_iters):
    for micro_step in range(gradient_accumulation_steps):
        logits, loss = model(X, Y)
        X, Y = get_batch()
        loss = loss / gradient_accumulation_steps
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if iter_num % 4 == 0:
        print(f"iter {iter_num}: loss {loss.item():.4f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
