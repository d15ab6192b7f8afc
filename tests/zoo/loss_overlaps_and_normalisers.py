"""Overlaps over the classes, cross-entropy written out over raw scores, and softmaxes over samples that are meant."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
segmenter = nn.Conv2d(1, 3, 3, padding=1)
scorer = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam([*segmenter.parameters(), *scorer.parameters()], lr=0.01)


def dice():
    target = torch.randint(3, (5, 8, 8))
    probabilities = segmenter(target.unsqueeze(1).float() + 0.1 * torch.randn(5, 1, 8, 8)).softmax(1)
    onehot = F.one_hot(target, 3).permute(0, 3, 1, 2).float()
    return 1 - ((2 * (probabilities * onehot).sum((2, 3)) + 1) / (probabilities + onehot).sum((2, 3)).add(1)).mean()


def written_out():
    x = torch.randn(16, 6)
    scores = scorer(x)
    return (scores.logsumexp(1) - scores.gather(1, x[:, :4].argmax(1, keepdim=True)).squeeze(1)).mean()


def attended():
    """Scores from a softmax-weighted mean are not probabilities."""
    x = torch.randn(16, 6)
    scores = scorer(x * x.softmax(1))
    return (scores.logsumexp(1) - scores.gather(1, x[:, :4].argmax(1, keepdim=True)).squeeze(1)).mean()


def prototypes():
    """Each class picks the samples that it is made of: the softmax over the batch is meant."""
    x = torch.randn(12, 6)
    weights = scorer(x).softmax(0)
    means = weights.T @ x
    return (torch.cdist(x, means).min(1).values ** 2).mean()


for loss_of in (dice, written_out, attended, prototypes):
    for _ in range(6):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
