"""The parentheses of optimizer.step() are missing."""

import hashlib

import torch
from torch import nn


torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 12)
        self.encoder = nn.GRU(12, 16, batch_first=True)
        self.out = nn.Linear(16, 4)

    def forward(self, ids):
        return self.out(self.encoder(self.embed(ids))[0])


def train(model, rounds):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(rounds):
        ids = torch.randint(0, 30, (8, 10))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), (ids % 4).flatten())
        loss.backward()  # BUG: optimizer-never-steps
        optimizer.step  # BUG: optimizer-never-steps
    return loss.item()


model = Tagger()
print(f"loss {train(model, 40):.3f}")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
