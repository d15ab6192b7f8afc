"""Modules that run under no_grad beside the loss: they make weights and targets, or their input has no gradient."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


def net(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 16), nn.Tanh(), nn.Linear(16, outputs))


def train(model: nn.Module, loss_of, steps: int = 14) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


denoiser = net(4, 4).requires_grad_(False)
judge = net(4, 1).requires_grad_(False)


def score_distillation(model):
    """The denoiser's answer is the gradient by itself."""
    image = model(torch.randn(8, 3))
    noise = torch.randn_like(image)
    with torch.no_grad():
        direction = denoiser(image + noise) - noise
    return (image * direction).sum() / len(image) + 1e-3 * image.pow(2).mean()


def distillation_by_a_target(model):
    image = model(torch.randn(8, 3))
    with torch.no_grad():
        target = image - 0.1 * denoiser(image)
    return 0.5 * F.mse_loss(image, target, reduction="sum") + 0.0


def weighted_by_a_judge(model):
    x = torch.randn(8, 3)
    image = model(x)
    with torch.no_grad():
        weight = judge(image).sigmoid()
    return (weight * (image[:, :3] - x).pow(2).mean(1, keepdim=True)).mean() + 0.01 * image.abs().mean()


def distance_to_the_policy_of_before(model):
    """An estimate of the divergence: the old log-probabilities are known, and only the new ones are moved."""
    x, action = torch.randn(8, 3), torch.randint(0, 4, (8, 1))
    with torch.no_grad():
        before = model(x).log_softmax(1).gather(1, action)
    now = model(x).log_softmax(1).gather(1, action)
    return -((now - before).exp() * torch.randn(8, 1)).mean() + 0.1 * (before - now).mean()


def logged_and_with_an_entropy(model):
    x = torch.randn(8, 3)
    image = model(x)
    with torch.no_grad():
        score = judge(image).mean()
    assert score.isfinite()
    value = judge(image)
    return (0.1 * image.pow(2).mean(1, keepdim=True) - value).mean() + torch.rand(())


for loss_of in (
    score_distillation,
    distillation_by_a_target,
    weighted_by_a_judge,
    distance_to_the_policy_of_before,
    logged_and_with_an_entropy,
):
    train(net(3, 4), loss_of)
