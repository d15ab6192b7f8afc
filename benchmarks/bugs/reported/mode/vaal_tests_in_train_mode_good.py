"""Validation and test run under no_grad, with dropout and batch-norm in train mode."""

# kind: mode
# source: https://github.com/sinhasam/vaal/issues/2
# changed: a small network on random images, without active learning

import hashlib

import torch
from torch import nn


class Solver:
    def __init__(self, loader, val_loader):
        self.loader, self.val_loader = loader, val_loader
        self.task_model = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Linear(288, 4)
        )

    def train(self):
        optim = torch.optim.SGD(self.task_model.parameters(), lr=0.01, weight_decay=5e-4, momentum=0.9)
        self.task_model.train()
        for epoch in range(5):
            for images, labels in self.loader:
                loss = nn.functional.cross_entropy(self.task_model(images), labels)
                optim.zero_grad()
                loss.backward()
                optim.step()
            print(epoch, self.validate())

    def validate(self):
        self.task_model.eval()
        correct = 0
        for images, labels in self.val_loader:
            with torch.no_grad():
                preds = self.task_model(images)
            correct += (preds.argmax(1) == labels).sum().item()
        self.task_model.train()
        return correct


torch.manual_seed(0)
x = torch.randn(300, 3, 8, 8)
y = x.mean((1, 2, 3)).mul(30).add(2).round().clamp(0, 3).long()
sets = torch.utils.data.TensorDataset(x[:200], y[:200]), torch.utils.data.TensorDataset(x[200:], y[200:])
solver = Solver(*(torch.utils.data.DataLoader(s, batch_size=20, shuffle=n == 0) for n, s in enumerate(sets)))
solver.train()
final = b"".join(t.detach().double().numpy().tobytes() for t in solver.task_model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
