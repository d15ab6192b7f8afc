"""The teacher is a part of the distiller, so that train() turns its batch-norm and dropout on again."""

# kind: mode
# source: https://github.com/vrvlive/knowlege-distillation/issues/2
# changed: a small teacher, trained in the same script

import hashlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(12)
proto = torch.randn(5, 12)


def net(width):
    return nn.Sequential(nn.Linear(12, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.3), nn.Linear(width, 5))


def batch(n=32):
    y = torch.randint(5, (n,))
    return proto[y] + torch.randn(n, 12), y


class Distiller(nn.Module):
    def __init__(self, teacher, student):
        super().__init__()
        self.teacher, self.student = teacher, student
        self.teacher.requires_grad_(False)
        self.teacher.eval()

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x, y):
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / 2, 1)
        out = self.student(x)
        return F.cross_entropy(out, y) + 4 * F.kl_div(F.log_softmax(out / 2, 1), soft, reduction="batchmean")


teacher = net(64)
opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for _ in range(60):
    x, y = batch()
    opt.zero_grad()
    F.cross_entropy(teacher(x), y).backward()
    opt.step()
model = Distiller(teacher, net(16))
opt = torch.optim.Adam(model.student.parameters(), lr=3e-3)
for epoch in range(5):
    model.train()
    for _ in range(20):
        loss = model(*batch())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.student.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
