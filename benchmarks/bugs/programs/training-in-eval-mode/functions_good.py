"""evaluate() switches the model, train_one_epoch() does not switch it back."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8 * 9, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        return self.fc(x.flatten(1))


def train_one_epoch(model, data, optimizer):
    model.train()
    for idx in torch.randperm(120).split(20):
        x, y = data[0][idx], data[1][idx]
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    return F.cross_entropy(model(data[0]), data[1]).item()


def main():
    torch.manual_seed(2)
    images = torch.randn(160, 1, 6, 6)
    labels = images.mean(dim=(1, 2, 3)).mul(4).add(1).clamp(0, 2).round().long()
    train_data, val_data = (images[:120], labels[:120]), (images[120:], labels[120:])
    model = ConvNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(4):
        print(epoch, train_one_epoch(model, train_data, optimizer), evaluate(model, val_data))
    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])


if __name__ == "__main__":
    main()
