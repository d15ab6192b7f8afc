"""Autoencoders that see the whole text, begin of text included, and pass it through one code."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH = 20, 16


class Autoencoder(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.embedding, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.encoder = (nn.LSTM if kind == "lstm" else nn.GRU)(WIDTH, WIDTH, batch_first=True)
        self.decoder = nn.LSTM(WIDTH, WIDTH, batch_first=True)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        states, last = self.encoder(self.embedding(ids))
        code = states.mean(1) if self.kind == "mean" else last[0][0] if self.kind == "lstm" else last[0]
        return self.head(self.decoder(code[:, None].expand(-1, ids.shape[1], -1))[0])


for kind in ("mean", "gru", "lstm"):
    model = Autoencoder(kind)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(8):
        ids = F.pad(torch.randint(2, WORDS, (8, 10)), (1, 0), value=1)
        loss = F.cross_entropy(model(ids)[:, :-1].reshape(-1, WORDS), ids[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
