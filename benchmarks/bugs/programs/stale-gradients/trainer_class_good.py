"""A Trainer class with a configurable accumulation length."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, lr=1e-2, accumulate=2):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.accumulate = accumulate
        self.step_count = 0

    def compute_loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.model(x), y)

    def fit(self, batches):
        self.model.train()
        for i, batch in enumerate(batches):
            loss = self.compute_loss(batch) / self.accumulate
            loss.backward()
            if (i + 1) % self.accumulate == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.step_count += 1
        return self.step_count


def batches(n):
    g = torch.Generator().manual_seed(5)
    for _ in range(n):
        x = torch.randn(16, 6, generator=g)
        yield x, (x.sum(dim=1) > 0).long()


torch.manual_seed(5)
net = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 2))
trainer = Trainer(net)
print("updates:", trainer.fit(batches(40)))
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
