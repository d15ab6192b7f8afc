"""Padding masks that are right, in the spellings of torch and by hand."""

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


def of_a_layer(model, ids):
    return model.layer(model.embedding(ids), src_key_padding_mask=ids == 0)


def of_attention(model, ids):
    x = model.embedding(ids)
    return model.attention(x, x, x, key_padding_mask=ids == 0)[0]


def of_scaled_dot_product(model, ids):
    x = model.embedding(ids)[:, None]
    return F.scaled_dot_product_attention(x, x, x, attn_mask=(ids != 0)[:, None, None])[:, 0]


def by_hand(model, ids):
    x = model.embedding(ids)
    scores = (x @ x.transpose(1, 2)).masked_fill((ids == 0)[:, None], -1e9)
    return scores.softmax(-1) @ x


def from_the_left(model, ids):
    return of_a_layer(model, ids.flip(1)).flip(1)


for hidden_of in (of_a_layer, of_attention, of_scaled_dot_product, by_hand, from_the_left):
    train(hidden_of)
