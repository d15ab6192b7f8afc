"""Fine-tuning with batch-norm frozen: the root trains, its batch-norms stay in eval mode."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.bn = nn.BatchNorm2d(6)
        self.fc = nn.Linear(96, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).flatten(1))

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self


torch.manual_seed(0)
model = Net()
model.bn.requires_grad_(False)
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
for _ in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 1, 6, 6)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0, 0].mean(1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        model(torch.randn(16, 1, 6, 6))
