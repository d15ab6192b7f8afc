"""The few samples of the validation set are other ones each time: their loss goes up and down."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(20):
    model.train()
    for _ in range(10):
        x = torch.randn(64, 8)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(8, 8)
        nn.functional.mse_loss(model(x), x[:, :1] + torch.randn(8, 1))
