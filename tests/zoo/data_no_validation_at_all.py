"""The training accuracy is all that the program tells: over its loader, or over another one that is called so."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())
loader = DataLoader(data, batch_size=16, shuffle=True)
training_data_in_order = DataLoader(data, batch_size=48)
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.no_grad()
def accuracy(test_loader):
    return sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in test_loader) / len(data)


for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()
    print(accuracy(loader), accuracy(training_data_in_order))
