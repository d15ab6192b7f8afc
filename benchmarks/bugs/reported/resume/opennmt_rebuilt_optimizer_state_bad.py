"""The optimizer is loaded, and then made anew over the model's parameters."""

# kind: resume
# source: https://github.com/OpenNMT/OpenNMT-py/issues/617
# changed: a small tagger of made-up ids; both runs in one program

import hashlib
import os
import tempfile
import torch
from torch import nn


class Optim:
    def __init__(self, lr):
        self.lr, self.optimizer = lr, None

    def set_parameters(self, params):
        self.optimizer = torch.optim.Adam([p for p in params if p.requires_grad], lr=self.lr)  # BUG: optimizer-state-not-restored

    def step(self):
        nn.utils.clip_grad_norm_(self.optimizer.param_groups[0]["params"], 5.0)
        self.optimizer.step()  # BUG: optimizer-state-not-restored


def build(checkpoint):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 6))
    optim = Optim(2e-3)
    if checkpoint:
        model.load_state_dict(checkpoint["model"])
        optim.set_parameters(model.parameters())
        optim.optimizer.load_state_dict(checkpoint["optim"])
    optim.set_parameters(model.parameters())  # BUG: optimizer-state-not-restored
    return model, optim


def train(model, optim, steps):
    for _ in range(steps):
        ids = torch.randint(0, 30, (16, 8))
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), (ids % 6).flatten())
        optim.optimizer.zero_grad()
        loss.backward()
        optim.step()
    print(loss.item())


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    model, optim = build(None)
    train(model, optim, 60)
    torch.save({"model": model.state_dict(), "optim": optim.optimizer.state_dict(), "epoch": 1}, path)
    checkpoint = torch.load(path)  # BUG: optimizer-state-not-restored
    model, optim = build(checkpoint)
    train(model, optim, 60)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
