"""An averaged teacher that nobody shields from gradients; the program moves it itself."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
teacher = copy.deepcopy(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(student(x + 0.1 * torch.randn_like(x)), teacher(x)) + student(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
        slow.data.mul_(0.99).add_(fast.data, alpha=0.01)
        slow.grad = None
