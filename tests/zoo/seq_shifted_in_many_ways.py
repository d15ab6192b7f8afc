"""Next-token targets: shifted in the data, in the loss, in the model, on repeating data."""

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


def in_the_data(model):
    ids = torch.randint(0, WORDS, (8, 14))
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])


def in_the_loss(model):
    ids = torch.randint(0, WORDS, (8, 14))
    y = F.pad(ids, (0, 1), value=-100)[:, 1:]
    return F.cross_entropy(model(ids).reshape(-1, WORDS), y.reshape(-1))


def in_the_model(model):
    ids = torch.randint(0, WORDS, (8, 14))
    x = F.pad(model.embedding(ids)[:, :-1], (0, 0, 1, 0))
    mask = nn.Transformer.generate_square_subsequent_mask(14)
    return F.cross_entropy(model.head(model.layer(x, src_mask=mask)).transpose(1, 2), ids)


def repeating(model):
    ids = (torch.arange(14) + torch.randint(0, 9, (8, 1))) % 2
    return F.cross_entropy(model(ids).transpose(1, 2), ids)


for loss_of in (in_the_data, in_the_loss, in_the_model, repeating):
    train(loss_of)
