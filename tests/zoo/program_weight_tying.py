"""Input and output embedding share one weight."""

import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=20, d=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.mix = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, vocab, bias=False)
        self.out.weight = self.embed.weight
        nn.init.normal_(self.embed.weight, std=0.2)

    def forward(self, ids):
        return self.out(self.mix(self.embed(ids))[0])


torch.manual_seed(0)
model = LM()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for _ in range(15):
    ids = (torch.randint(0, 20, (8, 1)) + torch.arange(9)) % 20
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
