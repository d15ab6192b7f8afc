"""Losses that broadcast on purpose: masks, weights, pairwise distances, quantiles, anchors, advantages."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
N = 16


def train(model: nn.Module, loss_of) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(8):
        x = torch.randn(N, 4)
        loss = loss_of(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def two() -> nn.Module:
    return nn.Linear(4, 2)


def one() -> nn.Module:
    return nn.Linear(4, 1)


train(two(), lambda out, x: ((out - x[:, :2]) ** 2 * (x[:, :1] > 0)).mean())  # mask
train(two(), lambda out, x: ((out - x[:, :2]) ** 2 * torch.tensor([1.0, 2.0])).mean())  # weights of outputs
train(two(), lambda out, x: F.mse_loss(out, torch.zeros(()).expand_as(out)))
train(one(), lambda out, x: ((out - 1.0) ** 2).mean())  # a constant
train(nn.Linear(4, N), lambda out, x: ((out - x[:, :1]) ** 2).mean())  # as many outputs as samples, one target each
train(one(), lambda out, x: ((out - x @ torch.ones(4, N) - torch.randn(N, N)) ** 2).mean())  # as many raters as samples

# Pairwise: ranking, contrastive, energy distance, a kernel.
train(one(), lambda out, x: F.relu(1 - (out - out.t()) * (x[:, :1] - x[:, :1].t()).sign()).mean())
train(one(), lambda out, x: ((out.squeeze(1)[:, None] - out.squeeze(1)) ** 2).mean() - out.mean())
train(two(), lambda out, x: (out[:, None] - out[None]).pow(2).sum(2).mean() * 0.1)


def energy_distance(out: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    fake, real = out.squeeze(1), x.sum(1)
    across = (fake - real[:, None]).abs().mean()
    return 2 * across - (fake - fake[:, None]).abs().mean()


train(one(), energy_distance)


def quantile_huber(out: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    target = x[:, :2].detach()
    error = target.unsqueeze(1) - out.unsqueeze(2)
    weight = (torch.tensor([0.25, 0.75])[None, :, None] - (error.detach() < 0).float()).abs()
    return (weight * F.huber_loss(error, torch.zeros_like(error), reduction="none")).mean()


train(two(), quantile_huber)
train(nn.Linear(4, N), lambda out, x: F.smooth_l1_loss(out, x.sum(1, keepdim=True).expand(N, N)))


# Pairs of which one side is held still, weighed pair by pair or in space.
train(two(), lambda out, x: (out.detach()[:, None] - out).pow(2).sum(2).mean() * 0.1)
train(one(), lambda out, x: ((out - x.sum(1)).square() * (torch.rand(N, N) > 0.5)).mean())
train(one(), lambda out, x: F.relu(1 - (out.squeeze(1) - out.detach()) * (x[:, 0] - x[:, :1]).sign()).mean())


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = nn.Linear(4, 3), nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.actor(x), self.critic(x)


def actor_critic(out: tuple[torch.Tensor, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    logits, value = out
    actions = torch.distributions.Categorical(logits=logits)
    action = actions.sample()
    advantage = x.sum(1) - value.squeeze(1)
    return -(actions.log_prob(action) * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()


train(Policy(), actor_critic)


class Centers(nn.Module):
    """As many centers as samples, by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.randn(N, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x.unsqueeze(1) - self.centers).pow(2).sum(2)


train(Centers(), lambda out, x: out.min(1).values.mean())
train(Centers(), lambda out, x: out.mean())

# Weights: one for each sample, one for each output, one for each pair, and as many weightings as there are samples.
weigh = torch.rand(N)


def each(out: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return F.smooth_l1_loss(out, x[:, : out.shape[1]], reduction="none")


train(one(), lambda out, x: (each(out, x) * weigh[:, None]).mean())
train(one(), lambda out, x: (each(out, x).squeeze(1) * weigh).mean())
train(two(), lambda out, x: (each(out, x) * torch.tensor([1.0, 2.0])).mean())
train(one(), lambda out, x: (each(out, x) * torch.rand(N, N)).mean())
train(one(), lambda out, x: (each(out, x) * torch.rand(3)).mean())
