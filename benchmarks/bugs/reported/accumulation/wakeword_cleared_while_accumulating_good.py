"""A step waits until 128 samples have come together, and every batch clears what came before."""

# kind: accumulation
# source: https://github.com/dscripka/openWakeWord/issues/316
# changed: a small classifier of random features; losses are averaged over the window

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, n_features=16):
        self.model = nn.Sequential(nn.Linear(n_features, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=2e-3)
        self.loss = nn.BCEWithLogitsLoss(reduction="sum")

    def train_model(self, loader, epochs):
        accumulated_samples = 0
        self.optimizer.zero_grad()
        for epoch in range(epochs):
            for x, y in loader:
                predictions = self.model(x)
                loss = self.loss(predictions[:, 0], y) / 128
                loss.backward()
                accumulated_samples += len(x)
                if accumulated_samples < 128:
                    continue
                self.optimizer.step()
                self.optimizer.zero_grad()
                accumulated_samples = 0
            print(epoch, loss.item())


torch.manual_seed(9)
x = torch.randn(2048, 16)
y = (x[:, :4].sum(1) > 0.5).float()
trainer = Trainer()
trainer.train_model(DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True), epochs=5)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
