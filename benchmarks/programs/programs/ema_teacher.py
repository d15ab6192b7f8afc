"""Mean teacher: a student follows labels and a teacher that is the running average of itself."""

import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(4096, 48)
y = (x @ torch.randn(48, 6)).argmax(dim=1)
labelled = 512
student = nn.Sequential(
    nn.Linear(48, 192), nn.BatchNorm1d(192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(), nn.Linear(192, 6)
)
teacher = copy.deepcopy(student).requires_grad_(False).eval()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)


@torch.no_grad()
def update_teacher(momentum=0.99):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(momentum).add_(s, alpha=1 - momentum)
    for t, s in zip(teacher.buffers(), student.buffers()):
        t.copy_(s)


for step in range(steps):
    known = torch.randint(0, labelled, (32,))
    unknown = torch.randint(labelled, len(x), (64,))
    clean = x[unknown]
    logits = student(torch.cat([x[known], clean + 0.1 * torch.randn_like(clean)]))
    with torch.no_grad():
        target = teacher(clean).softmax(dim=1)
    supervised = F.cross_entropy(logits[:32], y[known])
    consistency = F.mse_loss(logits[32:].softmax(dim=1), target)
    loss = supervised + min(1.0, step / 500) * consistency
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_teacher()
    if step % 200 == 0:
        print(f"step {step}: supervised {supervised.item():.4f}, consistency {consistency.item():.4f}")

weights = [*student.parameters(), *teacher.parameters()]
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
