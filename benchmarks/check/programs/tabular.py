"""A small network on rows of numbers, with dropout and a DataLoader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(3000, 20)
y = (x[:, :5].sum(1) > 0).long() + (x[:, 5] > 0.5).long()
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1))
head = nn.Linear(64, 3)
model = nn.Sequential(body, head)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
torch.save(model.state_dict(), "tabular.pt")
