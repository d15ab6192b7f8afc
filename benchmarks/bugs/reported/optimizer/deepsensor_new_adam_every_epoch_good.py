"""train_epoch makes a new Adam each time it is called."""

# kind: optimizer
# source: https://github.com/alan-turing-institute/deepsensor/issues/47
# changed: a small regressor of random fields

import hashlib
import torch
from torch import nn


def train_epoch(model, tasks, opt, batch_size=16):
    losses = []
    for part in torch.randperm(len(tasks)).split(batch_size):
        x = tasks[part]
        loss = nn.functional.mse_loss(model(x), x.square().mean(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


torch.manual_seed(0)
tasks = torch.randn(160, 8)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    print(epoch, train_epoch(model, tasks, opt))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
