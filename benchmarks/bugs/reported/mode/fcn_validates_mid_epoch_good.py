"""Validation in the middle of an epoch leaves the model in eval mode until the next."""

# kind: mode
# source: https://github.com/wkentaro/pytorch-fcn/issues/57
# changed: a small segmentation network with dropout on random images

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, train_loader, val_loader, interval_validate):
        self.model, self.train_loader, self.val_loader = model, train_loader, val_loader
        self.interval_validate, self.iteration = interval_validate, 0
        self.optim = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def validate(self):
        self.model.eval()
        val_loss = 0.0
        with torch.no_grad():
            for data, target in self.val_loader:
                val_loss += nn.functional.cross_entropy(self.model(data), target).item()
        print(self.iteration, val_loss / len(self.val_loader))
        self.model.train()

    def train_epoch(self):
        self.model.train()
        for data, target in self.train_loader:
            self.iteration += 1
            if self.iteration % self.interval_validate == 0:
                self.validate()
            self.optim.zero_grad()
            loss = nn.functional.cross_entropy(self.model(data), target)
            loss.backward()
            self.optim.step()


torch.manual_seed(0)
images = torch.rand(320, 3, 8, 8)
labels = (images.mean(1) > 0.5).long()
fcn = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Dropout2d(0.2), nn.Conv2d(12, 2, 1))
train_loader = DataLoader(TensorDataset(images[:256], labels[:256]), batch_size=8, shuffle=True)
val_loader = DataLoader(TensorDataset(images[256:], labels[256:]), batch_size=16)
trainer = Trainer(fcn, train_loader, val_loader, interval_validate=20)
for epoch in range(3):
    trainer.train_epoch()
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
