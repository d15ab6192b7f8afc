"""All steps share one block with its batch-norm, where they should share linear layers only."""

# kind: batchnorm
# source: https://github.com/dreamquark-ai/tabnet/pull/76
# changed: gated blocks on random tables, without attention
# gap: sharing a block is what the network is about; which part should be its own is known to the program alone

import hashlib
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, fc):
        super().__init__()
        self.fc, self.bn = fc, nn.BatchNorm1d(32)

    def forward(self, x):
        return nn.functional.glu(self.bn(self.fc(x)), dim=1)


class Encoder(nn.Module):
    def __init__(self, steps):
        super().__init__()
        fc = nn.Linear(16, 32, bias=False)
        shared = Block(fc)  # BUG: module-repeated
        self.steps = nn.ModuleList([shared for _ in range(steps)])  # BUG: module-repeated
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        total = 0
        for step in self.steps:
            x = (x + step(x)) * 0.5**0.5
            total = total + torch.relu(x)
        return self.head(total).squeeze(1)


torch.manual_seed(0)
x = torch.randn(640, 16)
y = x[:, 0] * x[:, 1]
model = Encoder(3)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    model.train()
    for index in torch.randperm(512).split(64):
        loss = nn.functional.mse_loss(model(x[index]), y[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, nn.functional.mse_loss(model(x[512:]), y[512:]).item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
