"""Grows the vocabulary while training."""

import hashlib

import torch
import torch.nn as nn


class Bag(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, 8)
        self.out = nn.Linear(8, 2)

    def grow(self, extra):
        old = self.embedding.weight.data
        bigger = nn.Embedding(len(old) + extra, 8)
        bigger.weight.data[: len(old)] = old
        self.embedding = bigger  # BUG: parameter-replaced, parameters-not-in-optimizer
        return bigger.weight

    def forward(self, ids):
        return self.out(self.embedding(ids).mean(dim=1))


torch.manual_seed(20)
model = Bag(20)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)  # BUG: parameter-replaced
vocab = 20
for step in range(40):
    if step == 15:
        model.grow(10)  # BUG: parameter-replaced
        vocab = 30
    ids = torch.randint(0, vocab, (32, 5))
    labels = (ids % 2).sum(dim=1).gt(2).long()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(ids), labels)
    loss.backward()  # BUG: parameter-replaced, parameters-not-in-optimizer
    optimizer.step()  # BUG: parameter-replaced, parameters-not-in-optimizer
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
