"""The teacher follows the parameters of the student, and not its buffers."""

# kind: ema
# source: https://github.com/saltoricristiano/cosmix-uda/issues/21
# changed: a small network with batch-norm on random vectors in place of point clouds

import hashlib
import copy

import torch
from torch import nn


class MomentumUpdater:
    def __init__(self, tau=0.95):
        self.tau = tau

    @torch.no_grad()
    def update(self, online, momentum):
        for op, mp in zip(online.parameters(), momentum.parameters()):
            mp.data.mul_(self.tau).add_(op.data, alpha=1 - self.tau)  # BUG: averaged-model-stale-buffers


torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))
teacher = copy.deepcopy(student).eval().requires_grad_(False)
updater = MomentumUpdater()
optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
for step in range(120):
    source = torch.randn(32, 8) * 2 + 1
    target = torch.randn(32, 8) * 2 + 2
    student.train()
    with torch.no_grad():
        pseudo = teacher(target).softmax(1)  # BUG: averaged-model-stale-buffers
    loss = nn.functional.cross_entropy(student(source), source[:, :4].argmax(1))
    loss = loss + 0.1 * nn.functional.cross_entropy(student(target), pseudo)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    updater.update(student, teacher)  # BUG: averaged-model-stale-buffers
teacher.eval()
with torch.no_grad():
    x = torch.randn(200, 8) * 2 + 1
    print((teacher(x).argmax(1) == x[:, :4].argmax(1)).float().mean().item())  # BUG: averaged-model-stale-buffers
final = b"".join(t.detach().float().numpy().tobytes() for t in teacher.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
