"""Plain tensors that require a gradient and belong to no optimizer: data, collocation points, multipliers."""

import torch
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))


def points_of_an_equation() -> None:
    """Solve u' = -u: the points need a gradient, and weigh the residual too."""
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.linspace(0, 1, 12).unsqueeze(1).requires_grad_()
    for _ in range(20):
        u = model(x)
        slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        loss = ((slope + u) * (1 + x)).pow(2).mean() + (u[0] - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def multiplier_moved_by_hand() -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    multiplier = torch.zeros(1, requires_grad=True)
    for step in range(20):
        x = torch.randn(16, 1)
        y = model(x)
        loss = (y - x).pow(2).mean() + (multiplier * y.abs().mean()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 3:
            with torch.no_grad():
                multiplier += 0.1 * multiplier.grad / 4
            multiplier.grad = None


def temperature_of_its_own_optimizer() -> None:
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
    for _ in range(20):
        x = torch.randn(16, 1)
        entropy = model(x).mean()
        loss = (entropy - log_alpha.exp().detach()).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        alpha_loss = -(log_alpha * (entropy.detach() - 1)).mean()
        alpha_optimizer.zero_grad()
        alpha_loss.backward()
        alpha_optimizer.step()


points_of_an_equation()
multiplier_moved_by_hand()
temperature_of_its_own_optimizer()
