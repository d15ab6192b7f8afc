"""Distillation with softmax on both sides of KLDivLoss."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
teacher.requires_grad_(False)
student = nn.Linear(8, 4)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
kl = nn.KLDivLoss(reduction="batchmean")
T = 2.0
for step in range(25):
    x = torch.randn(32, 8)
    with torch.no_grad():
        soft_target = F.softmax(teacher(x) / T, dim=1)
    loss = kl(F.softmax(student(x) / T, dim=1), soft_target) * T * T  # BUG: kl-input-not-log
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in student.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
