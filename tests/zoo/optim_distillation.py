"""Distillation from a teacher under `no_grad`."""

import torch
from torch import nn

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)).eval()
student = nn.Linear(8, 3)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    with torch.no_grad():
        soft = teacher(x).log_softmax(1)
    loss = nn.functional.kl_div(student(x).log_softmax(1), soft, reduction="batchmean", log_target=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
