"""Large momenta of batch-norm that do no harm: schedules, the last batch on purpose, statistics taken anew, no eval."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import update_bn

torch.manual_seed(0)


def net(momentum):
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=momentum), nn.ReLU(), nn.Linear(8, 1))


def train(model, before=lambda step: None, steps=24):
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        before(step)
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model):
    model.eval()
    x = torch.randn(16, 4)
    return F.mse_loss(model(x), x.sum(1, keepdim=True)).item()


# As in PointNet++: it starts at 0.5 and is halved again and again. Some start higher.
for start in (0.5, 0.9):
    model = net(start)

    def decay(step, norm=model[1], start=start):
        norm.momentum = max(0.01, start * 0.5 ** (step // 6))

    train(model, decay)
    evaluate(model)

# As in meta-learning: the last batch and nothing else.
model = net(1.0)
train(model)
evaluate(model)

# Statistics are taken anew before the evaluation.
model = net(0.9)
train(model)
update_bn([torch.randn(16, 4) for _ in range(40)], model)
evaluate(model)

# A generator that always normalises by the batch.
model = net(0.9)
train(model)
with torch.no_grad():
    model[:1](torch.randn(16, 4))

# A frozen backbone that came with its own convention.
backbone, head = net(0.99)[:2].eval().requires_grad_(False), nn.Linear(8, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = F.mse_loss(head(backbone(x)), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
