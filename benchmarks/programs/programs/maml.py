"""Model-agnostic meta-learning of sine waves: one inner step by hand, the outer one by Adam."""

import math
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

steps = int(sys.argv[1])
torch.manual_seed(0)
num_tasks, inner_lr = 4, 0.01

model = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def sample_task():
    height, phase = 0.1 + 4.9 * torch.rand(1), math.pi * torch.rand(1)
    x = 10 * torch.rand(20, 1) - 5
    y = height * torch.sin(x + phase)
    return x[:10], y[:10], x[10:], y[10:]


for step in range(steps):
    outer_loss = 0.0
    for _ in range(num_tasks):
        x_train, y_train, x_test, y_test = sample_task()
        weights = dict(model.named_parameters())
        inner_loss = F.mse_loss(functional_call(model, weights, (x_train,)), y_train)
        gradients = torch.autograd.grad(inner_loss, list(weights.values()), create_graph=True)
        adapted = {name: w - inner_lr * g for (name, w), g in zip(weights.items(), gradients)}
        outer_loss = outer_loss + F.mse_loss(functional_call(model, adapted, (x_test,)), y_test)
    outer_loss = outer_loss / num_tasks
    optimizer.zero_grad()
    outer_loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {outer_loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
