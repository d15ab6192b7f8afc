"""Language models that are causal by nature: recurrent, convolutional, one in each direction; one with group norm."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH = 20, 16

embedding, head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
forwards, backwards = nn.LSTM(WIDTH, WIDTH), nn.GRU(WIDTH, WIDTH)
convolution, norm = nn.Conv1d(WIDTH, WIDTH, 3), nn.GroupNorm(2, WIDTH)


def recurrent(ids: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(head(forwards(embedding(ids[:-1]))[0]).reshape(-1, WORDS), ids[1:].reshape(-1))


def convolutional(ids: torch.Tensor) -> torch.Tensor:
    x = F.pad(embedding(ids[:-1]).permute(1, 2, 0), (2, 0))
    return F.cross_entropy(head(convolution(x).transpose(1, 2)).transpose(1, 2), ids[1:].t())


def normalised(ids: torch.Tensor) -> torch.Tensor:
    x = F.pad(embedding(ids[:-1]).permute(1, 2, 0), (2, 0))
    return F.cross_entropy(head(norm(convolution(x)).transpose(1, 2)).transpose(1, 2), ids[1:].t())


def in_both_directions(ids: torch.Tensor) -> torch.Tensor:
    x = embedding(ids)
    ahead, back = head(forwards(x)[0]), head(backwards(x.flip(0))[0].flip(0))
    after = F.cross_entropy(ahead[:-1].reshape(-1, WORDS), ids[1:].reshape(-1))
    return after + F.cross_entropy(back[1:].reshape(-1, WORDS), ids[:-1].reshape(-1))


model = nn.ModuleList([embedding, head, forwards, backwards, convolution, norm])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for loss_of in (recurrent, convolutional, normalised, in_both_directions):
    for _ in range(8):
        loss = loss_of(torch.randint(0, WORDS, (12, 8)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
