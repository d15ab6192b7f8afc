"""A penalty on the norm of the gradients, once by autograd.grad and once through `.grad`."""

import warnings

import torch

warnings.filterwarnings("ignore", message="Using backward")
torch.manual_seed(0)
critic = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(8, 4, requires_grad=True)
    score = critic(x)
    (gradient,) = torch.autograd.grad(score.sum(), x, create_graph=True)
    loss = score.mean() + ((gradient.norm(dim=1) - 1) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
second = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(8, 4)
    second.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward(create_graph=True)
    penalty = 0.01 * sum(p.grad.square().sum() for p in model.parameters())
    penalty.backward()
    second.step()
