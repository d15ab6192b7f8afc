"""Warming up ends after the given number of updates."""

# kind: schedule
# source: https://github.com/facebookresearch/ParlAI/pull/4384
# changed: a small classifier; linear decay after the warm-up

import hashlib
import torch
from torch import nn


class ParlAILRScheduler:
    def __init__(self, optimizer, warmup_updates, max_lr_steps):
        self.warmup_updates, self.updates = warmup_updates, 0
        self.warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, 0.01 + step / warmup_updates))
        self.scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, total_iters=max_lr_steps)

    def _is_warming_up(self):
        return self.updates < self.warmup_updates

    def step(self):
        self.updates += 1
        if self._is_warming_up():
            self.warmup.step()
        else:
            self.scheduler.step()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = ParlAILRScheduler(optimizer, warmup_updates=15, max_lr_steps=100)
for update in range(120):
    x = torch.randn(32, 10)
    loss = nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
