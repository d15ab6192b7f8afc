"""Losses of padded positions are zero, and count in the mean's denominator."""

# kind: padding
# source: https://github.com/DeepX-inc/machina/pull/198
# changed: a tagger of padded texts in place of rollouts

import hashlib
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(10)
PAD, V = 0, 18


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 24, padding_idx=PAD)
        self.rnn = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, V)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss(reduction="none", ignore_index=PAD)
for step in range(60):
    texts = [torch.randint(1, V, (int(n),)) for n in torch.randint(3, 20, (16,))]
    ids = pad_sequence(texts, batch_first=True, padding_value=PAD)
    tags = torch.where(ids == PAD, PAD, (ids * 7) % (V - 1) + 1)
    loss = criterion(model(ids).flatten(0, 1), tags.flatten())  # BUG: padding-in-loss, mean-over-padding
    loss = loss.mean()  # BUG: padding-in-loss, mean-over-padding
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
