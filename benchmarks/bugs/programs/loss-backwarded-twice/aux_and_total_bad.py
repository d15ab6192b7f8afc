"""Total loss already holds the auxiliary one, and both are backwarded."""

import hashlib

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.main = nn.Linear(24, 3)

    def forward(self, x):
        return self.main(self.trunk(x))


def train_step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward(retain_graph=True)  # BUG: loss-backwarded-twice
    grad_loss = loss
    grad_loss.backward()  # BUG: loss-backwarded-twice
    optimizer.step()
    return loss.item()


torch.manual_seed(43)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for i in range(24):
    x = torch.randn(30, 6)
    value = train_step(model, optimizer, x, x[:, :3].argmax(dim=1))
print(value)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
