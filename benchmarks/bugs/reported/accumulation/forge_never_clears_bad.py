"""No step is followed by zero_grad, so that every gradient is the sum of all that came before."""

# kind: accumulation
# source: https://github.com/meta-pytorch/torchforge/pull/71
# changed: a small model with a queue of made-up batches in place of a policy trainer

import hashlib
from collections import deque

import torch
import torch.nn as nn


class RLTrainer:
    def __init__(self, lr=1e-3):
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
        self.optimizers = [torch.optim.SGD(self.model.parameters(), lr=lr)]
        self.current_step = 0

    def forward_backward(self, inputs, targets):
        loss = nn.functional.smooth_l1_loss(self.model(inputs), targets)
        loss.backward()
        return loss

    def train_step(self, batch):
        loss = self.forward_backward(*batch)
        for optimizer in self.optimizers:
            optimizer.step()  # BUG: stale-gradients  ALSO: loss-diverging, loss-oscillating, exploding-gradients, update-too-large, parameter-jump, loss-spike-at-start
        self.current_step += 1
        return loss.detach()


torch.manual_seed(0)
queue = deque((x, x.flip(1)) for x in torch.randn(100, 32, 8))
trainer = RLTrainer()
while queue:
    loss = trainer.train_step(queue.popleft())
print(trainer.current_step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
