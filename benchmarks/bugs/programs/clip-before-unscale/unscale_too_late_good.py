"""Trainer with AMP, clipping and accumulation."""

import hashlib

import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast


class AMPTrainer:
    def __init__(self, model, max_norm=0.5, accum=2):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
        self.scaler = GradScaler("cpu", init_scale=1024.0)
        self.max_norm = max_norm
        self.accum = accum

    def micro_step(self, x, y):
        with autocast("cpu", dtype=torch.bfloat16):
            out = self.model(x)
            loss = nn.functional.mse_loss(out.float(), y) / self.accum
        self.scaler.scale(loss).backward()
        return loss.item() * self.accum

    def update(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()


torch.manual_seed(5)
trainer = AMPTrainer(nn.Sequential(nn.Linear(6, 24), nn.SiLU(), nn.Linear(24, 2)))
for i in range(40):
    x = torch.randn(16, 6)
    value = trainer.micro_step(x, torch.stack([x.sum(1), x.prod(1)], dim=1))
    if i % 2 == 1:
        trainer.update()
print(value)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
