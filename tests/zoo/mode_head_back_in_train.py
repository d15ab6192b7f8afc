"""The whole model to eval, the trained head back to train: on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict(
    {
        "body": nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU()),
        "head": nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.1), nn.Linear(16, 1)),
    }
)
model["body"].requires_grad_(False)
optimizer = torch.optim.Adam(model["head"].parameters(), lr=1e-3)
for _ in range(3):
    model.eval()
    model["head"].train()
    for _ in range(5):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model["head"](model["body"](x)), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(32, 4)
        model["head"](model["body"](x))
