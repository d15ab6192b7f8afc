"""House prices: the usual command line script with train(), test() and main()."""

import argparse
import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.features = torch.randn(n, 8, generator=g)
        self.prices = self.features @ torch.linspace(-1, 1, 8) + 0.1 * torch.randn(n, generator=g)

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, index):
        return self.features[index], self.prices[index]


class Net(nn.Module):
    def __init__(self, hidden):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(8, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(x)


def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.smooth_l1_loss(output, target.unsqueeze(1))
        loss.backward()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            print("Train Epoch: {} [{}/{}]\tLoss: {:.6f}".format(
                epoch, batch_idx * len(data), len(train_loader.dataset), loss.item()))
            if args.dry_run:
                break


def test(model, device, test_loader):
    model.eval()
    error = 0.0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data.to(device)).squeeze(1)
            error += F.l1_loss(output, target.to(device), reduction="sum").item()
    print("Test set: average error: {:.4f}".format(error / len(test_loader.dataset)))


def main():
    parser = argparse.ArgumentParser(description="house prices")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=4)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    device = torch.device("cpu")

    train_loader = DataLoader(Houses(128, 1), batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(Houses(64, 2), batch_size=64)
    model = Net(16).to(device)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, train_loader, optimizer, epoch)
        test(model, device, test_loader)
        scheduler.step()

    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])


if __name__ == "__main__":
    main()
