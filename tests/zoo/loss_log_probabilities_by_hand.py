"""NLL and KL losses fed with log-probabilities that the program made itself."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


def train(model: nn.Module, loss_of) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(8):
        x = torch.randn(16, 8)
        loss = loss_of(model(x), x[:, :5].argmax(1), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(nn.Linear(8, 5), lambda out, y, x: F.nll_loss(out - out.logsumexp(1, keepdim=True), y))
train(nn.Sequential(nn.Linear(8, 5), nn.LogSoftmax(dim=-1)), lambda out, y, x: nn.NLLLoss()(out, y))
train(nn.Linear(8, 5), lambda out, y, x: -F.log_softmax(out.softmax(1) / 0.05, 1).gather(1, y[:, None]).mean())
train(nn.Linear(8, 5), lambda out, y, x: F.nll_loss(torch.log(F.softmax(out, 1).clamp(min=1e-6)), y))


class ClassFlow(nn.Module):
    """One density per class; log-densities may be positive and do not normalise over classes."""

    def __init__(self) -> None:
        super().__init__()
        self.means, self.log_scale = nn.Parameter(torch.randn(5, 8) * 0.1), nn.Parameter(torch.zeros(5, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = (x[:, None] - self.means) * self.log_scale.exp()
        return (-0.5 * z**2 + self.log_scale).sum(2)


train(ClassFlow(), lambda out, y, x: F.nll_loss(out, y))
train(nn.Linear(8, 5), lambda out, y, x: F.kl_div(F.log_softmax(out, 1), F.softmax(x[:, :5], 1), reduction="sum") / 16)
train(
    nn.Linear(8, 5),
    lambda out, y, x: F.kl_div(
        F.log_softmax(out, 1), F.log_softmax(x[:, :5], 1), reduction="batchmean", log_target=True
    ),
)
# Q-values of the chosen actions, picked out by nll_loss.
train(nn.Linear(8, 5), lambda out, y, x: (-F.nll_loss(out, y, reduction="none") - x[:, 0]).pow(2).mean())
