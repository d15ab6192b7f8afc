"""Trainer whose training_step returns a plain mean loss."""

import hashlib

import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, accumulate_grad_batches):
        self.model = model
        self.optimizer = optimizer
        self.n = accumulate_grad_batches
        self.global_step = 0

    def training_step(self, batch):
        x, y = batch
        return nn.functional.l1_loss(self.model(x), y)

    def optimizer_step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.global_step += 1

    def fit(self, num_batches):
        self.model.train()
        for batch_idx in range(num_batches):
            x = torch.rand(20, 2) * 4 - 2
            y = (x[:, :1] * x[:, 1:]).cos()
            loss = self.training_step((x, y))
            loss.backward()  # BUG: accumulation-not-averaged
            if (batch_idx + 1) % self.n == 0:
                self.optimizer_step()


torch.manual_seed(21)
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
trainer = Trainer(net, sgd, accumulate_grad_batches=5)
trainer.fit(60)
print("global step", trainer.global_step)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
