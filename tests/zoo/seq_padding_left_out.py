"""Padded batches whose padding is kept out of the loss: ignored, masked, weighted by 0, cut out, packed."""

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


def padded() -> torch.Tensor:
    texts = [torch.randint(1, WORDS, (int(n),)) for n in torch.randint(4, 13, (8,))]
    return nn.utils.rnn.pad_sequence(texts, batch_first=True)


def ignored(model):
    ids = padded()
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], ignore_index=0)


def replaced(model):
    ids = padded()
    y = ids[:, 1:].masked_fill(ids[:, 1:] == 0, -100)
    return F.cross_entropy(model(ids[:, :-1]).reshape(-1, WORDS), y.reshape(-1))


def masked(model):
    ids = padded()
    mask = (ids[:, 1:] != 0).float()
    each = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none")
    return (each * mask).sum() / mask.sum()


def weighted(model):
    ids = padded()
    weight = torch.ones(WORDS)
    weight[0] = 0
    return F.cross_entropy(model(ids[:, :-1]).reshape(-1, WORDS), ids[:, 1:].reshape(-1), weight=weight)


def cut_out(model):
    ids = padded()
    keep = ids[:, 1:] != 0
    return F.cross_entropy(model(ids[:, :-1])[keep], ids[:, 1:][keep])


for loss_of in (ignored, replaced, masked, weighted, cut_out):
    train(loss_of, padding_idx=0)
