"""The optimizer is built after the convolutions were replaced."""

# kind: parameters
# source: https://github.com/hustzxd/EfficientPyTorch/issues/1
# changed: a small network, and a quantised layer that only rounds its weights

import hashlib

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class RoundedConv2d(nn.Conv2d):
    def forward(self, x):
        scale = self.weight.abs().amax() / 7
        rounded = (self.weight / scale).round() * scale
        weight = self.weight + (rounded - self.weight).detach()
        return F.conv2d(x, weight, self.bias, self.stride, self.padding)


def replace_conv_recursively(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Conv2d):
            setattr(module, name, RoundedConv2d(child.in_channels, child.out_channels, 3, padding=1))
        else:
            replace_conv_recursively(child)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


def main():
    torch.manual_seed(0)
    x = torch.randn(640, 1, 10, 10)
    y = (x[:, 0, :5, :5].mean((1, 2)) * 10).long().clamp(-2, 2) + 2
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    model = Net()
    replace_conv_recursively(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(6):
        for images, target in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), target)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    return model


model = main()
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
