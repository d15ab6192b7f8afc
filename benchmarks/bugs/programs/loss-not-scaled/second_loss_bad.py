"""Classification loss plus an auxiliary one, each with its own backward."""

import hashlib

import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, use_amp=True):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu", enabled=use_amp)

    def step(self, x, y):
        self.opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.model(x).float()
        loss = nn.functional.cross_entropy(logits, y)
        z_loss = 0.1 * logits.logsumexp(dim=1).pow(2).mean()
        self.scaler.scale(loss).backward(retain_graph=True)
        z_loss.backward()  # BUG: loss-not-scaled
        self.scaler.unscale_(self.opt)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.opt)  # BUG: loss-not-scaled
        self.scaler.update()
        return loss.item()


torch.manual_seed(73)
trainer = Trainer(nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)))
for i in range(24):
    x = torch.randn(30, 5)
    value = trainer.step(x, x[:, :3].argmin(1))
print(value)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
