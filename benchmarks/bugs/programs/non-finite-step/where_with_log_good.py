"""Entropy of masked attention under torch.where: the branch not taken still sends NaN back."""

import hashlib

import torch
import torch.nn as nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(6, 1)
        self.out = nn.Linear(6, 1)

    def forward(self, x, mask):
        weights = self.score(x).squeeze(-1).softmax(dim=1) * mask
        return self.out((weights.unsqueeze(-1) * x).sum(dim=1)), weights


def entropy(p):
    safe = torch.where(p > 0, p, torch.ones_like(p))
    return -(safe * safe.log()).sum(dim=1).mean()


torch.manual_seed(1)
model = Pool()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(16, 5, 6)
    mask = (torch.arange(5) < torch.randint(2, 6, (16, 1))).float()
    pooled, weights = model(x, mask)
    loss = nn.functional.mse_loss(pooled, x[:, 0, :1]) + 0.01 * entropy(weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 0:
        print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
