"""Masks that are not for padding: causal, random, windows, none at all; batches without padding."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH, LENGTH = 20, 16, 10


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.1, batch_first=True)
        self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
        self.head = nn.Linear(WIDTH, 2)


def padded(batch: int = 12) -> torch.Tensor:
    lengths = torch.randint(3, LENGTH, (batch, 1))
    return torch.randint(1, WORDS, (batch, LENGTH)) * (torch.arange(LENGTH) < lengths)


def train(hidden_of) -> None:
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(6):
        ids = padded()
        hidden = hidden_of(model, ids)
        loss = F.cross_entropy(model.head(hidden[:, 0]), (ids == 7).any(1).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def causal(model, ids):
    mask = nn.Transformer.generate_square_subsequent_mask(LENGTH)
    return model.layer(model.embedding(ids), src_mask=mask, is_causal=True)


def random(model, ids):
    hidden = torch.rand(ids.shape) < 0.3
    hidden[:, 0] = False
    return model.layer(model.embedding(ids), src_key_padding_mask=hidden | (ids == 0))


def window(model, ids):
    far = (torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)).abs() > 2
    return model.layer(model.embedding(ids), src_mask=far)


def without(model, ids):
    return model.layer(model.embedding(ids))


def not_padded(model, ids):
    ids = ids.clamp(min=1)
    return model.layer(model.embedding(ids), src_key_padding_mask=ids == 0)


for hidden_of in (causal, random, window, without, not_padded):
    train(hidden_of)
