"""Freezes everything whose name does not contain the wrong word."""

import hashlib

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(16, 256), nn.LayerNorm(256), nn.ReLU(), nn.Linear(256, 256), nn.LayerNorm(256), nn.ReLU()
        )
        self.classifier = nn.Linear(256, 4)

    def forward(self, x):
        return self.classifier(self.body(x))


torch.manual_seed(0)
model = Net()
for name, p in model.named_parameters():
    p.requires_grad = "classifier" in name
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
for step in range(25):
    x = torch.randn(32, 16)
    y = x[:, :4].argmax(dim=1)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
