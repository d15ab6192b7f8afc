"""A regression whose batches are cut by hand out of tensors."""

import torch

torch.manual_seed(0)
X = torch.rand(1024, 6) * 2 - 1
Y = torch.sin(2 * X[:, :1]) + X[:, 1:2] * X[:, 2:3]
model = torch.nn.Sequential(torch.nn.Linear(6, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(20):
    order = torch.randperm(len(X))
    for start in range(0, len(X), 64):
        chosen = order[start : start + 64]
        prediction = model(X[chosen])
        loss = torch.nn.functional.mse_loss(prediction, Y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
