"""Data sets that are split again and again, with weights that never saw what is held out; and scores to choose by."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(96, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())


def train(model, optimizer, loader):
    for xb, yb in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()


@torch.no_grad()
def accuracy(model, loader):
    return sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in loader)


model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = copy.deepcopy(model.state_dict())
for _ in range(4):  # one optimizer for all folds, whose weights are put back
    model.load_state_dict(first)
    train_set, val_set = random_split(data, [64, 32])
    train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
    for _ in range(2):
        train(model, optimizer, train_loader)
    print(accuracy(model, DataLoader(val_set, batch_size=16)))

for fold in range(4):  # the same with weights drawn anew, and with a new optimizer
    model.reset_parameters()
    train_set, val_set = random_split(data, [64, 32])
    train(model, optimizer, DataLoader(train_set, batch_size=8, shuffle=True))
    print(accuracy(model, DataLoader(val_set, batch_size=16)))

for fold in range(4):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_set, val_set = random_split(data, [64, 32])
    train(model, optimizer, DataLoader(train_set, batch_size=8, shuffle=True))
    print(accuracy(model, DataLoader(val_set, batch_size=16)))

chosen = torch.randperm(96)
for _ in range(4):  # what is not trained on is scored, to choose from it
    train(model, optimizer, DataLoader(Subset(data, chosen[:64].tolist()), batch_size=8, shuffle=True))
    remaining = DataLoader(Subset(data, chosen[64:].tolist()), batch_size=16)
    with torch.no_grad():
        scores = torch.cat([model(xb).softmax(1).amax(1) for xb, _ in remaining])
    chosen = torch.cat([chosen[64:][scores.argsort()], chosen[:64]])
