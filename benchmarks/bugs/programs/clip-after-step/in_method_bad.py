"""Step first, clip second, zero third; in a class."""

import hashlib

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Learner:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=3e-3)

    def one_batch(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.step()
        nn.utils.clip_grad_value_(self.model.parameters(), 0.5)  # BUG: clip-after-step
        self.opt.zero_grad()
        return loss.item()


torch.manual_seed(3)
x = torch.randn(160, 7)
y = x[:, :4].argmax(1)
learner = Learner(nn.Sequential(nn.Linear(7, 20), nn.ReLU(), nn.Linear(20, 4)))
for epoch in range(3):
    losses = [learner.one_batch(*b) for b in DataLoader(TensorDataset(x, y), 16, shuffle=True)]
    print(epoch, sum(losses) / len(losses))
final = b"".join(t.detach().float().numpy().tobytes() for t in learner.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
