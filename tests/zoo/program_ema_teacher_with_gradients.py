"""Mean teacher whose forward builds a graph although it is trained by averaging only."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
teacher = copy.deepcopy(student)
optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)
for _ in range(20):
    x = torch.randn(16, 6)
    logits, target = student(x), teacher(x + 0.05 * torch.randn_like(x))
    loss = nn.functional.cross_entropy(logits, x[:, :3].argmax(1))
    loss = loss + nn.functional.mse_loss(logits.softmax(1), target.softmax(1).detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, q in zip(student.parameters(), teacher.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
