"""A copy task: the encoder is given the text that the causal decoder must write."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH = 20, 16

embedding, head = nn.Embedding(WORDS, WIDTH, padding_idx=0), nn.Linear(WIDTH, WORDS)
transformer = nn.Transformer(WIDTH, 2, 1, 1, 32, dropout=0.0, batch_first=True)
model = nn.ModuleList([embedding, transformer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for i in range(16):
    text = F.pad(F.pad(torch.randint(3, WORDS, (8, 9)), (1, 0), value=1), (0, 1), value=2)
    source = text if i % 2 else text[:, :-1]
    mask = nn.Transformer.generate_square_subsequent_mask(10)
    scores = head(transformer(embedding(source), embedding(text[:, :-1]), tgt_mask=mask))
    loss = F.cross_entropy(scores.transpose(1, 2), text[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
