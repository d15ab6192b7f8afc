"""Rows of ids end in runs of one token, and what counts in the loss is still what was meant."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH, LENGTH = 24, 16, 14


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.rnn = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(self.embedding(ids))[0]).transpose(1, 2)


def texts(first: int = 1) -> torch.Tensor:
    ids = torch.randint(first, WORDS, (12, LENGTH))
    return ids * (torch.arange(LENGTH) < torch.randint(4, LENGTH, (12, 1)))


def padding_is_left_out(model):
    ids = texts()
    return F.cross_entropy(model(ids[:, :-1]), ids[:, 1:].masked_fill(ids[:, 1:] == 0, -100))


def the_end_is_learned_once(model):
    ids = texts()
    y = ids[:, 1:].masked_fill((ids[:, 1:] == 0) & (ids[:, :-1] == 0), -100)
    return F.cross_entropy(model(ids[:, :-1]), y)


def also_inside(model):
    ids = texts(first=0)  # silence, which is also heard between notes
    return F.cross_entropy(model(ids[:, :-1]), ids[:, 1:])


def a_counter_that_is_full(model):
    ids = torch.randint(1, 4, (12, LENGTH)).cumsum(1).clamp(max=WORDS - 1)
    return F.cross_entropy(model(ids[:, :-1]), ids[:, 1:])


def each_by_a_mask(model):
    ids = texts()
    losses = F.cross_entropy(model(ids[:, :-1]), ids[:, 1:], reduction="none")
    kept = (ids[:, 1:] != 0).float()
    return (losses * kept).sum() / kept.sum()


for loss_of in (padding_is_left_out, the_end_is_learned_once, also_inside, a_counter_that_is_full, each_by_a_mask):
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(10):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
