"""Compiled functions that are compiled a few times: sizes, modes, a number that becomes dynamic, several layers."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(torch.compile(nn.Linear(4, 4), backend="eager") for _ in range(3))
        self.drop = nn.Dropout(0.1)

    def forward(self, x, temperature):
        for block in self.blocks:
            x = x + block(x).tanh()
        return self.drop(x).sum(1, keepdim=True) / temperature


net = Net()
model = torch.compile(net, backend="eager")
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(12):
    x = torch.randn((16, 12, 7)[i % 3], 4)
    loss = nn.functional.mse_loss(model(x, 1.0 + 0.1 * i), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 4 == 3:
        net.eval()
        with torch.no_grad():
            model(torch.randn(20, 4), 1.0)
        net.train()
