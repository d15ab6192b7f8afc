"""Losses of each element that are multiplied by a weight made of the prediction: focal losses, learned variances."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


def focal(logits, targets, gamma=2.0, alpha=0.25):
    """As detectors write it: probabilities weigh, and the loss itself is given logits."""
    probability = logits.sigmoid()
    each = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    right = probability * targets + (1 - probability) * (1 - targets)
    balance = alpha * targets + (1 - alpha) * (1 - targets)
    return balance * (1 - right) ** gamma * each


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.classes, self.boxes, self.variance = nn.Linear(32, 4), nn.Linear(32, 2), nn.Linear(32, 2)

    def forward(self, x):
        h = self.body(x)
        return self.classes(h), self.boxes(h), self.variance(h)


def summed_over_positives(model):
    x = torch.randn(16, 8)
    targets = (x[:, :4] > 1).float()
    return focal(model(x)[0], targets).sum() / targets.sum().clamp(min=1)


def of_classes(model):
    x = torch.randn(16, 8)
    each = F.cross_entropy(model(x)[0], x[:, :4].argmax(1), reduction="none")
    return ((1 - (-each).exp()) ** 2 * each).mean()


def with_a_variance(model):
    x = torch.randn(16, 8)
    _, boxes, variance = model(x)
    return (torch.exp(-variance) * F.mse_loss(boxes, x[:, :2], reduction="none") + variance).mean()


def by_its_own_error(model):
    x = torch.randn(16, 8)
    boxes = model(x)[1]
    each = F.l1_loss(boxes, x[:, :2], reduction="none")
    return (torch.exp(-variance_of(each)) * each).mean()


def variance_of(errors):
    return errors.var(0, keepdim=True)


for loss_of in (summed_over_positives, of_classes, with_a_variance, by_its_own_error):
    model = Heads()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(24):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
