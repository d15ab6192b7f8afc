"""Gradients are clipped right after backward, and unscaled only just before the step."""

# kind: amp
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/9599
# changed: hooks of a small trainer in place of the library's plugins; float16 on the CPU

import hashlib
import torch
from torch import nn


class NativeMixedPrecision:
    def __init__(self):
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def forward_context(self):
        return torch.autocast("cpu", dtype=torch.bfloat16)

    def pre_optimizer_step(self, optimizer):
        self.scaler.unscale_(optimizer)

    def step(self, optimizer):
        self.scaler.step(optimizer)
        self.scaler.update()


class Trainer:
    def __init__(self, model, gradient_clip_val):
        self.model, self.clip = model, gradient_clip_val
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        self.precision = NativeMixedPrecision()

    def fit(self, batches):
        for x, y in batches:
            with self.precision.forward_context():
                loss = nn.functional.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            self.precision.scaler.scale(loss).backward()
            self.precision.pre_optimizer_step(self.optimizer)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.precision.step(self.optimizer)
        print(loss.item())


torch.manual_seed(0)
xs = torch.randn(100, 32, 10)
trainer = Trainer(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5)), gradient_clip_val=1.0)
trainer.fit([(x, x[:, :5].argmax(1)) for x in xs])
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
