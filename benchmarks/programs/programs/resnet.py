"""A small ResNet on images from a DataLoader, with SGD and a step schedule."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

steps = int(sys.argv[1])
torch.manual_seed(0)


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.layers = nn.Sequential(
            BasicBlock(16, 16), BasicBlock(16, 32, 2), BasicBlock(32, 32), BasicBlock(32, 64, 2), BasicBlock(64, 64)
        )
        self.head = nn.Linear(64, num_classes)

    def forward(self, x):
        return self.head(self.layers(self.stem(x)).mean(dim=(2, 3)))


labels = torch.randint(0, 10, (1024,))
patterns = torch.randn(10, 3, 16, 16)
images = patterns[labels] + torch.randn(1024, 3, 16, 16)
loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True, drop_last=True)
model = ResNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)

step, epoch = 0, 0
while step < steps:
    model.train()
    correct = seen = 0
    for x, y in loader:
        if step == steps:
            break
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(dim=1) == y).sum().item()
        seen += len(y)
        step += 1
    scheduler.step()
    print(f"epoch {epoch}: accuracy {correct / seen:.3f}")
    epoch += 1

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
