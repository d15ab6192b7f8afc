"""A question attends to a text: each is padded, and masked as it should be."""

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


def across(model, ids):
    text = padded()
    x, y = model.embedding(ids), model.embedding(text)
    x = x + model.attention(x, y, y, key_padding_mask=text == 0, need_weights=False)[0]
    return model.layer(x, src_key_padding_mask=ids == 0)


def with_weights(model, ids):
    text = padded()
    x, y = model.embedding(ids), model.embedding(text)
    return x + model.attention(x, y, y, key_padding_mask=text == 0)[0]


def the_rest_of_the_text(model, ids):
    """What is padded in the question is what is given of the text."""
    text = padded() * (ids == 0)
    text[:, -1] = 3
    x, y = model.embedding(ids), model.embedding(text)
    return x + model.attention(x, y, y, key_padding_mask=text == 0)[0]


for hidden_of in (across, with_weights, the_rest_of_the_text):
    train(hidden_of)
