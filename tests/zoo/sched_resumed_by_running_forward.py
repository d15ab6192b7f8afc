"""A resumed run that fast-forwards its schedule, and one that loads the schedule's state."""

import copy
import warnings

import torch

warnings.simplefilter("ignore")  # torch's about the order, which is meant here
torch.manual_seed(0)


def make():
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    return model, optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)


def train(model, optimizer, scheduler, first, last):
    for epoch in range(first, last):
        for _ in range(3):
            x = torch.randn(16, 4)
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
        scheduler.step()


model, optimizer, scheduler = make()
for _ in range(8):
    scheduler.step()
train(model, optimizer, scheduler, 8, 12)

model, optimizer, scheduler = make()
train(model, optimizer, scheduler, 0, 8)
saved = copy.deepcopy([part.state_dict() for part in (model, optimizer, scheduler)])
model, optimizer, scheduler = make()
for part, state in zip((model, optimizer, scheduler), saved, strict=True):
    part.load_state_dict(state)
train(model, optimizer, scheduler, 8, 12)
