"""Trainer whose validate() uses inference_mode and forgets the mode."""

import hashlib

import torch
import torch.nn as nn


class Fitter:
    def __init__(self, model, train_data, val_data):
        self.model = model
        self.train_data, self.val_data = train_data, val_data
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def train_epoch(self):
        self.model.train()
        x, y = self.train_data
        for idx in torch.randperm(len(x)).split(25):
            loss = nn.functional.mse_loss(self.model(x[idx]), y[idx])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def validate(self):
        with torch.inference_mode():
            x, y = self.val_data
            return nn.functional.mse_loss(self.model(x), y).item()  # BUG: evaluating-in-train-mode

    def run(self, epochs):
        for epoch in range(epochs):
            self.train_epoch()
            print(epoch, self.validate())


torch.manual_seed(10)
net = nn.Sequential(nn.Linear(5, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 1))
data = [torch.randn(n, 5) for n in (150, 60)]
Fitter(net, *[(x, x.sum(1, keepdim=True)) for x in data]).run(4)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
