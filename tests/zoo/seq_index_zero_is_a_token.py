"""The padding index is also a token: inside texts, between packed ones, or once at the end of each."""

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


def inside(model):
    ids = torch.randint(0, WORDS, (8, 13))
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])


def between(model):
    texts = [F.pad(torch.randint(1, WORDS, (int(n),)), (0, 1)) for n in torch.randint(2, 9, (60,))]
    ids = torch.cat(texts)[: 8 * 13].view(8, 13)
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])


def at_the_end(model):
    texts = [torch.randint(1, WORDS, (int(n),)) for n in torch.randint(4, 13, (8,))]
    ids = F.pad(nn.utils.rnn.pad_sequence(texts, batch_first=True), (0, 1))
    y = ids[:, 1:].masked_fill((ids[:, 1:] == 0) & (ids[:, :-1] == 0), -100)
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), y)


def tags(model):
    ids = torch.randint(0, WORDS, (8, 12))
    return F.cross_entropy(model(ids).transpose(1, 2), (7 * ids + 3) % WORDS)


for loss_of in (inside, between, at_the_end, tags):
    train(loss_of, padding_idx=0)
