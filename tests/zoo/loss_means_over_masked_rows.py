"""Means over masked losses that divide by what counts, by a fixed number, or leave out no padding."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
tagger = nn.Sequential(nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12))
optimizer = torch.optim.Adam([*model.parameters(), *tagger.parameters()], lr=0.01)


def padded(widest):
    lengths = torch.randint(2, widest, (8,))
    x = pad_sequence([torch.randn(n, 3) for n in lengths.tolist()], batch_first=True)
    return x, torch.arange(x.shape[1]) < lengths.unsqueeze(1)


def errors(x):
    return F.mse_loss(model(x).squeeze(-1), x.sum(-1), reduction="none")


def over_what_counts():
    x, mask = padded(20)
    return (errors(x) * mask).sum() / mask.sum()


def of_each_row():
    x, mask = padded(20)
    return ((errors(x) * mask).sum(1) / mask.sum(1)).mean()


def of_one_width():
    x, mask = torch.randn(8, 20, 3), torch.arange(20) < torch.randint(2, 20, (8, 1))
    return (errors(x) * mask).mean()


def at_random_places():
    x = torch.randn(8, int(torch.randint(6, 30, ())), 3)
    return (errors(x) * (torch.rand(x.shape[:2]) < 0.5)).mean()


def of_sorted_lengths():
    length = int(torch.randint(10, 30, ()))
    x = torch.randn(8, length, 3)
    mask = torch.arange(length) < torch.tensor([length - 1] * 7 + [length]).unsqueeze(1)
    return (errors(x) * mask).mean()


def of_targets_that_count():
    lengths = torch.randint(2, 20, (8,))
    ids = pad_sequence([torch.randint(1, 12, (n,)) for n in lengths.tolist()], batch_first=True)
    losses = F.cross_entropy(tagger(ids).flatten(0, 1), ids.flatten(), ignore_index=0, reduction="none")
    return losses[ids.flatten() != 0].mean()


for loss_of in (
    over_what_counts,
    of_each_row,
    of_one_width,
    at_random_places,
    of_sorted_lengths,
    of_targets_that_count,
):
    for _ in range(12):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
