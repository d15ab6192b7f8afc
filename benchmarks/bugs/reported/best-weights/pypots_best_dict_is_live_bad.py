"""The best model is kept as a shallow copy of state_dict()."""

# kind: best-weights
# source: https://github.com/WenjieDu/PyPOTS/issues/667
# changed: a small imputer on made-up series; .copy() for the shallow copy, which another report names

import hashlib
import copy

import torch
from torch import nn


class Imputer:
    def __init__(self, n_features=6, epochs=8):
        self.epochs = epochs
        self.model = nn.GRU(n_features, 24, batch_first=True)
        self.head = nn.Linear(24, n_features)
        self.optimizer = torch.optim.Adam([*self.model.parameters(), *self.head.parameters()], lr=4e-3)
        self.best_loss, self.best_model_dict = float("inf"), None

    def loss(self, series):
        missing = torch.rand(series.shape) < 0.2
        out = self.head(self.model(series.masked_fill(missing, 0.0))[0])
        return ((out - series) ** 2)[missing].mean()

    def fit(self, train, val):
        for epoch in range(self.epochs):
            self.model.train()
            for part in torch.randperm(len(train)).split(16):
                loss = self.loss(train[part])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.model.eval()
            with torch.no_grad():
                val_loss = self.loss(val).item()
            if val_loss < self.best_loss:
                self.best_loss = val_loss
                self.best_model_dict = self.model.state_dict().copy()  # BUG: best-weights-aliased
            print(epoch, val_loss)
        self.model.load_state_dict(self.best_model_dict)  # BUG: best-weights-aliased


torch.manual_seed(0)
t = torch.linspace(0, 6, 20)[None, :, None] + torch.rand(240, 1, 6) * 6
saits = Imputer()
saits.fit(torch.sin(t[:200]), torch.sin(t[200:]))
final = b"".join(t.detach().float().numpy().tobytes() for t in saits.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
