"""The trainer validates every few iterations and never leaves train mode."""

# kind: mode
# source: https://github.com/wolny/pytorch-3dunet/issues/53
# changed: vectors in place of volumes; a channel dropout

import hashlib
import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, criterion, loaders, validate_after=10, max_iterations=60):
        self.model, self.optimizer, self.criterion, self.loaders = model, optimizer, criterion, loaders
        self.validate_after, self.max_iterations = validate_after, max_iterations
        self.iteration = 0

    def fit(self):
        while self.iteration < self.max_iterations:
            self.model.train()
            for x, y in self.loaders["train"]:
                loss = self.criterion(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.iteration += 1
                if self.iteration % self.validate_after == 0:
                    print(self.iteration, self.validate())  # BUG: evaluating-in-train-mode

    def validate(self):
        losses = []
        with torch.no_grad():
            for x, y in self.loaders["val"]:
                losses.append(self.criterion(self.model(x), y).item())  # BUG: evaluating-in-train-mode
        return sum(losses) / len(losses)


torch.manual_seed(11)
weight = torch.randn(10, 4)


def dataset(n):
    x = torch.randn(n, 10)
    return torch.utils.data.TensorDataset(x, (x @ weight > 0).float())


trainer = Trainer(
    model := nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.4), nn.Linear(64, 4)),
    torch.optim.Adam(model.parameters(), lr=3e-3),
    nn.BCEWithLogitsLoss(),
    {
        "train": torch.utils.data.DataLoader(dataset(320), batch_size=16, shuffle=True),
        "val": torch.utils.data.DataLoader(dataset(64), batch_size=32),
    },
)
trainer.fit()

weights = b"".join(p.detach().numpy().tobytes() for p in trainer.model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
