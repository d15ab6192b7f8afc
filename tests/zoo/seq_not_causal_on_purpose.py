"""Models that see all positions: masked language models, taggers, autoencoders."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH = 20, 16


class LanguageModel(nn.Module):
    def __init__(self, padding_idx: int | None = None, *, causal: bool = True) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=padding_idx)
        self.positions = nn.Embedding(32, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, WORDS)
        self.causal = causal

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length) if self.causal else None
        x = self.embedding(ids) + self.positions(torch.arange(length))
        return self.head(self.layer(x, src_mask=mask))


def train(loss_of, steps: int = 8, **settings) -> None:
    model = LanguageModel(**settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def masked_language_model(model):
    ids = torch.randint(1, WORDS, (8, 13))
    hidden = torch.rand(ids.shape) < 0.15
    hidden[:, 0] = True
    y = ids.masked_fill(~hidden, -100)
    return F.cross_entropy(model(ids.masked_fill(hidden, 0)).transpose(1, 2), y)


def denoising(model):
    ids = torch.randint(1, WORDS, (8, 13))
    return F.cross_entropy(model(ids.masked_fill(torch.rand(ids.shape) < 0.15, 0)).transpose(1, 2), ids)


def autoencoder(model):
    ids = torch.randint(1, WORDS, (8, 13))
    return F.cross_entropy(model(ids).transpose(1, 2), ids)


def without_the_first(model):
    ids = torch.randint(1, WORDS, (8, 13))
    return F.cross_entropy(model(ids)[:, 1:].transpose(1, 2), ids[:, 1:])


for loss_of in (masked_language_model, denoising, autoencoder, without_the_first):
    train(loss_of, causal=False)
