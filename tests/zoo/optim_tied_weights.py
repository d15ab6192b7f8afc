"""A language model whose output layer shares the embedding's weight."""

import torch
from torch import nn

torch.manual_seed(0)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.mix = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 20, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.out(self.mix(self.embed(tokens))[0])


model = Tied()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(12):
    tokens = torch.randint(0, 20, (8, 6))
    loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
