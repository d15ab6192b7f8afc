"""A decoder is trained on the next token without a mask."""

# kind: attention-mask
# source: https://github.com/alex-matton/causal-transformer-decoder/issues/1
# changed: torch's own decoder layer over a random memory in place of the project's

import hashlib
import torch
from torch import nn

torch.manual_seed(6)
V, T = 25, 12


class Translator(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.pos = nn.Parameter(torch.randn(1, T, d) * 0.02)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, 4, 64, dropout=0.0), 2)
        self.out = nn.Linear(d, V)

    def forward(self, tgt, memory):
        h = (self.emb(tgt) + self.pos[:, : tgt.size(1)]).transpose(0, 1)
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        h = self.decoder(h, memory.transpose(0, 1), tgt_mask=mask)
        return self.out(h.transpose(0, 1))


model = Translator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for step in range(150):
    memory = torch.randn(16, 6, 32)
    tgt = torch.randint(0, V, (16, T + 1))
    optimizer.zero_grad()
    logits = model(tgt[:, :-1], memory)
    loss = criterion(logits.flatten(0, 1), tgt[:, 1:].flatten())
    loss.backward()
    optimizer.step()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
