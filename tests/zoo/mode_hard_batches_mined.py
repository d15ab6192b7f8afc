"""Each step draws three batches, trains on the one with the largest loss, and forwards all of them in train mode."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(144, 6)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
for _ in range(4):
    batches = iter(loader)
    while group := [batch for _, batch in zip(range(3), batches, strict=False)]:
        losses = []
        for inputs, targets in group:
            losses.append(torch.nn.functional.mse_loss(model(inputs), targets).item())
        inputs, targets = group[losses.index(max(losses))]
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
