"""One prediction a sample meets a square target that belongs there: raters, one-hot codes, neighbours, a constant."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
N = 16


def train(loss_of, num_outputs: int = 1) -> None:
    model = nn.Linear(4, num_outputs)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(6):
        x = torch.randn(N, 4)
        loss = loss_of(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(lambda out, x: F.mse_loss(out.expand(N, N), x.sum(1, keepdim=True) + torch.randn(N, N)))  # as many raters
train(lambda out, x: F.mse_loss(out.expand(N, N), x.sum(1, keepdim=True).expand(N, N)))
train(lambda out, x: (out - x.sum(1, keepdim=True).expand(N, N)).abs().mean())
train(lambda out, x: ((out - (x @ x.t() > 0).float()) ** 2).mean())  # a share of neighbours
train(lambda out, x: F.l1_loss(out, x.mean(1, keepdim=True)))
train(lambda out, x: F.mse_loss(out, torch.outer(x[:, 0], torch.ones(N))), num_outputs=N)
train(lambda out, x: F.mse_loss(out, torch.outer(x[:, 0], torch.linspace(0, 1, N))), num_outputs=N)  # a full prediction
