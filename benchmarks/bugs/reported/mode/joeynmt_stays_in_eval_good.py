"""The model is put back into train mode after each validation."""

# kind: mode
# source: https://github.com/joeynmt/joeynmt/issues/184
# changed: a tagger of made-up ids with dropout

import hashlib
import torch
from torch import nn


class TrainManager:
    def __init__(self, model, validation_freq=10):
        self.model, self.validation_freq, self.steps = model, validation_freq, 0
        self.optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    def train_and_validate(self, train, valid, epochs):
        for _ in range(epochs):
            self.model.train()
            for batch in torch.randperm(len(train)).split(16):
                self.model.zero_grad()
                loss = self._loss(train[batch])
                loss.backward()
                self.optimizer.step()
                self.steps += 1
                if self.steps % self.validation_freq == 0:
                    print(self.steps, self._validate(valid))
                    self.model.train()

    def _loss(self, ids):
        return nn.functional.cross_entropy(self.model(ids).flatten(0, 1), (ids % 5).flatten())

    def _validate(self, valid):
        self.model.eval()
        with torch.no_grad():
            return self._loss(valid).item()


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(40, 24), nn.Linear(24, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, 5))
TrainManager(model).train_and_validate(torch.randint(0, 40, (480, 7)), torch.randint(0, 40, (64, 7)), 3)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
