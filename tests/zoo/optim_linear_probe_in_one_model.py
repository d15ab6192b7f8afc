"""Fine-tuning the classifier of one model by giving the optimizer `model.fc` only."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.fc = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.bn1(self.conv1(x)).relu()
        return self.fc(self.conv2(x).relu().mean((2, 3)))


model = Net()
optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 3, (16,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
