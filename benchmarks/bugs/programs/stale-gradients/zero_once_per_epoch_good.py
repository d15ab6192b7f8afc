"""Image classifier on synthetic 8x8 pictures."""

import argparse
import hashlib

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 4 * 4, num_classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv(x)))
        return self.fc(x.flatten(1))


def make_data(n):
    labels = torch.randint(0, 4, (n,))
    images = 0.3 * torch.randn(n, 1, 8, 8)
    for i, label in enumerate(labels.tolist()):
        images[i, 0, 2 * label : 2 * label + 2] += 1.0
    return TensorDataset(images, labels)


def train(model, device, loader, optimizer, criterion, epoch):
    model.train()
    total = 0.0
    for data, target in loader:
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = criterion(output, target)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"Train Epoch: {epoch}\tLoss: {total / len(loader):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()

    torch.manual_seed(1)
    device = torch.device("cpu")
    loader = DataLoader(make_data(128), batch_size=args.batch_size, shuffle=True)
    model = Net(4).to(device)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, args.epochs + 1):
        train(model, device, loader, optimizer, criterion, epoch)
    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])


if __name__ == "__main__":
    main()
