"""Two networks; the second one's optimizer is stepped after the first one's loss."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Linear(4, 2)
teacher = nn.Linear(4, 2)
optimizer = torch.optim.SGD(teacher.parameters(), lr=0.1)  # BUG: backward-misses-optimizer  ALSO: parameters-not-in-optimizer
for step in range(20):
    x = torch.randn(16, 4)
    with torch.no_grad():
        target = teacher(x)
    loss = nn.functional.mse_loss(student(x), target)
    optimizer.zero_grad()
    loss.backward()  # BUG: backward-misses-optimizer, optimizer-holds-stale-parameters
    optimizer.step()  # BUG: backward-misses-optimizer, optimizer-holds-stale-parameters
    if step % 5 == 0:
        print(step, loss.item())

models = (student, teacher)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
