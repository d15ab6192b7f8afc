"""Masked tokens are asked for, and the labels of the others do no harm; words are tagged, most of them with 0."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH, LENGTH, MASK = 24, 16, 14, 1


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.rnn = nn.GRU(WIDTH, WIDTH // 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(self.embedding(ids))[0]).transpose(1, 2)


def masked() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    text = torch.randint(2, WORDS, (12, LENGTH))
    chosen = torch.rand(12, LENGTH) < 0.2
    return text, chosen, text.masked_fill(chosen, MASK)


def zeros_are_ignored(model):
    text, chosen, ids = masked()
    return F.cross_entropy(model(ids), text * chosen, ignore_index=0)


def hundreds(model):
    text, chosen, ids = masked()
    return F.cross_entropy(model(ids), text.masked_fill(~chosen, -100))


def all_tokens(model):
    text, _, ids = masked()
    return F.cross_entropy(model(ids), text)


def tags(model):
    text, _, _ = masked()
    return F.cross_entropy(model(text), text % 7 * (text > 16))  # as many tags as words, 0 for the rest


def weight_of_zero(model):
    text, chosen, ids = masked()
    weight = torch.ones(WORDS).index_fill(0, torch.tensor([0]), 0.0)
    return F.cross_entropy(model(ids), text * chosen, weight=weight)


for loss_of in (zeros_are_ignored, hundreds, all_tokens, tags, weight_of_zero):
    model = Encoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(6):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
