"""Freezes a backbone with batch-norm, but leaves it in train mode."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2)
        )
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.backbone(x).flatten(1))


torch.manual_seed(0)
x = torch.randn(128, 1, 6, 6)
y = (x[:, :, :3].mean(dim=(1, 2, 3)) > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = Model()
for p in model.backbone.parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-2)
for epoch in range(3):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)  # BUG: frozen-batchnorm-drifts
        loss.backward()
        optimizer.step()  # BUG: frozen-batchnorm-drifts
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
