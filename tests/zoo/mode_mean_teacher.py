"""A mean teacher in train mode, frozen and followed after every step; the student is evaluated properly."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for _ in range(3):
    student.train()
    for _ in range(8):
        x = torch.randn(16, 8)
        target = teacher(x + 0.1 * torch.randn_like(x)).softmax(1)
        prediction = student(x)
        loss = nn.functional.cross_entropy(prediction, (x.sum(1) > 0).long())
        loss = loss + nn.functional.mse_loss(prediction.softmax(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
                slow.lerp_(fast, 0.01)
    student.eval()
    with torch.no_grad():
        student(torch.randn(32, 8))
