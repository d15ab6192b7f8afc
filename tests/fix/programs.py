"""Programs to mend."""

HEAD = """\
import torch
from torch import nn

torch.manual_seed(0)
"""
TWO_BUGS = (
    HEAD
    + """\
from net import Net  # in a file beside this one

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    loss.backward()
    optimizer.step()  # the gradients are never cleared
open("checkpoint.txt", "w").write("trained")
"""
)
NET = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return nn.functional.softmax(self.layer(x), dim=1)  # a common belief
"""
NEVER_STEPPED = (
    HEAD
    + """\
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.99)
for epoch in range(4):
    for _ in range(8):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
)
IDENTICAL_UNITS = (
    HEAD
    + """\
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for parameter in model.parameters():
    nn.init.constant_(parameter, 0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)
