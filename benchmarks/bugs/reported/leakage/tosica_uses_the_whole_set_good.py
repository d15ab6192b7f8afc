"""The parts of a random split are asked for `.dataset`, which is the whole set again."""

# kind: leakage
# source: https://github.com/JackieHanLab/TOSICA/pull/11
# changed: a small classifier of random expression values

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def get_loaders(features, labels):
    full = TensorDataset(features, labels)
    train_size = int(0.7 * len(full))
    train_dataset, valid_dataset = random_split(full, [train_size, len(full) - train_size])
    train_loader = DataLoader(train_dataset, batch_size=16, shuffle=True)
    valid_loader = DataLoader(valid_dataset, batch_size=16, shuffle=False)
    return train_loader, valid_loader


def evaluate(model, loader):
    model.eval()
    correct = count = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
            count += len(y)
    return correct / count


torch.manual_seed(0)
features = torch.randn(160, 30)
labels = (features[:, 0] + 0.5 * torch.randn(160) > 0).long()
train_loader, valid_loader = get_loaders(features, labels)
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
best = 0.0
for epoch in range(6):
    model.train()
    for x, y in train_loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    best = max(best, evaluate(model, valid_loader))
    print(epoch, best)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
