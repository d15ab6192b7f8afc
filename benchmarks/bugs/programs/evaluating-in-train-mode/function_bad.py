"""test() as in the MNIST example, without eval."""

import argparse
import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(8 * 3 * 3, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = self.dropout(x.flatten(1))
        return F.log_softmax(self.fc(x), dim=1)


def train(args, model, loader, optimizer, epoch):
    model.train()
    for data, target in loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
    print(f"Train Epoch: {epoch} Loss: {loss.item():.6f}")


def test(model, loader):
    test_loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data)  # BUG: evaluating-in-train-mode
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            correct += output.argmax(dim=1).eq(target).sum().item()
    print(f"Test set: loss {test_loss / len(loader.dataset):.4f}, accuracy {correct}/{len(loader.dataset)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args()
    torch.manual_seed(8)
    labels = torch.randint(0, 4, (160,))
    images = 0.3 * torch.randn(160, 1, 8, 8)
    images[torch.arange(160), 0, labels * 2] += 1.0
    train_loader = DataLoader(TensorDataset(images[:128], labels[:128]), batch_size=16, shuffle=True)
    test_loader = DataLoader(TensorDataset(images[128:], labels[128:]), batch_size=32)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(1, args.epochs + 1):
        train(args, model, train_loader, optimizer, epoch)
        test(model, test_loader)
    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])


if __name__ == "__main__":
    main()
