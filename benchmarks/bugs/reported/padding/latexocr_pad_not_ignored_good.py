"""Formulas are padded with 0, and the loss ignores -100."""

# kind: padding
# source: https://github.com/lukas-blecher/LaTeX-OCR/issues/305
# changed: a small decoder over random image features, with made-up formulas

import hashlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
PAD, BOS, EOS, V = 0, 1, 2, 30


def make_batch(n=16):
    feats = torch.randn(n, 8, 32)
    seqs = [torch.cat([torch.tensor([BOS]), torch.randint(3, V, (int(torch.randint(3, 14, ())),)), torch.tensor([EOS])]) for _ in range(n)]
    return feats, nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=PAD)


class Decoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.token_emb = nn.Embedding(V, d)
        self.pos_emb = nn.Embedding(64, d)
        self.layer = nn.TransformerDecoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.to_logits = nn.Linear(d, V)

    def forward(self, x, mask, context):
        t = x.shape[1]
        h = self.token_emb(x) + self.pos_emb(torch.arange(t))
        causal = torch.triu(torch.ones(t, t, dtype=torch.bool), 1)
        h = self.layer(h, context, tgt_mask=causal, tgt_key_padding_mask=~mask)
        return self.to_logits(h)


class AutoregressiveWrapper(nn.Module):
    def __init__(self, net, ignore_index=PAD, pad_value=PAD):
        super().__init__()
        self.net, self.ignore_index, self.pad_value = net, ignore_index, pad_value

    def forward(self, x, context):
        xi, xo = x[:, :-1], x[:, 1:]
        out = self.net(xi, xi != self.pad_value, context)
        return F.cross_entropy(out.transpose(1, 2), xo, ignore_index=self.ignore_index)


model = AutoregressiveWrapper(Decoder())
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for step in range(150):
    feats, seq = make_batch()
    loss = model(seq, feats)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, loss.item())

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
