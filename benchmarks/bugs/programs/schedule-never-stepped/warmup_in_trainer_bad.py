"""Linear warm-up whose step() call got lost."""

import hashlib

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, dataset, epochs=3):
        self.model = model
        self.loader = DataLoader(dataset, batch_size=12, shuffle=True)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
        self.scheduler = torch.optim.lr_scheduler.LinearLR(
            self.optimizer, 0.1, 1.0, total_iters=10
        )  # BUG: schedule-never-stepped
        self.epochs = epochs

    def fit(self):
        for epoch in range(self.epochs):
            for x, y in self.loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item(), self.scheduler.get_last_lr())


torch.manual_seed(9)
x = torch.randn(120, 5)
net = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 5))
Trainer(net, TensorDataset(x, x.argmax(1))).fit()
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
