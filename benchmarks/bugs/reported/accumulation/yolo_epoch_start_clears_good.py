"""Gradients are cleared at the start of an epoch as well, with those of its last batches still waiting."""

# kind: accumulation
# source: https://github.com/ultralytics/ultralytics/pull/11217
# changed: a small network on random images, and a window of three batches

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class BaseTrainer:
    accumulate = 3

    def __init__(self):
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.SiLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)
        images = torch.randn(160, 1, 8, 8)
        labels = images.mean((2, 3))[:, 0].mul(20).round().long().clamp(-1, 2) + 1
        self.train_loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)

    def optimizer_step(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=10.0)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def train(self, epochs):
        last_opt_step = -1
        nb = len(self.train_loader)
        self.optimizer.zero_grad()
        for epoch in range(epochs):
            self.model.train()
            for i, (images, labels) in enumerate(self.train_loader):
                ni = i + nb * epoch
                loss = nn.functional.cross_entropy(self.model(images), labels) / self.accumulate
                loss.backward()
                if ni - last_opt_step >= self.accumulate:
                    self.optimizer_step()
                    last_opt_step = ni
            print(epoch, loss.item())


trainer = BaseTrainer()
trainer.train(epochs=9)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
