"""Scores of sequences, normalised over the classes wherever these lie: last, in the middle, first."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
TIME, BATCH, CLASSES = 6, 4, 5


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.GRU(8, 12), nn.Linear(12, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(x)[0])


def last(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.nll_loss(F.log_softmax(scores, dim=2).view(-1, CLASSES), y.view(-1))


def in_the_middle(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    log_p = F.log_softmax(scores.permute(1, 2, 0), dim=1)
    return F.nll_loss(log_p, y.t())


def first_then_turned(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    log_p = F.log_softmax(scores.permute(2, 0, 1), dim=0)
    return F.nll_loss(log_p.permute(1, 2, 0).reshape(-1, CLASSES), y.reshape(-1))


def pointer(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The classes are the moments: which one has the largest score."""
    log_p = F.log_softmax(scores[:, :, 0], dim=0)
    return F.nll_loss(log_p.t(), y.argmax(0))


for loss_of in (last, in_the_middle, first_then_turned, pointer):
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(8):
        x = torch.randn(TIME, BATCH, 8)
        loss = loss_of(model(x), x[:, :, :CLASSES].argmax(2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
