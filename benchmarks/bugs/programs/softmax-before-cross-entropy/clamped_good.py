"""Probabilities are clamped 'for stability' before the loss."""

import hashlib

import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 4))
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.net(x)

    def loss(self, x, y):
        return nn.functional.cross_entropy(self(x), y)


torch.manual_seed(6)
clf = Classifier()
optimizer = torch.optim.SGD(clf.parameters(), lr=0.2)
for step in range(30):
    x = torch.randn(32, 6)
    loss = clf.loss(x, x[:, :4].argmin(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in clf.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
