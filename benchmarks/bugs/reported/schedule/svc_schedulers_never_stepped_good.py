"""Both schedules are advanced at the end of an epoch."""

# kind: schedule
# source: https://github.com/voicepaw/so-vits-svc-fork/pull/291
# changed: a generator and a discriminator of short waves, with optimisation by hand

import hashlib

import torch
from torch import nn

class VitsLightning:
    def __init__(self):
        self.net_g = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 16))
        self.net_d = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
        self.optim_g = torch.optim.AdamW(self.net_g.parameters(), 2e-4)
        self.optim_d = torch.optim.AdamW(self.net_d.parameters(), 2e-4)
        self.scheduler_g = torch.optim.lr_scheduler.ExponentialLR(self.optim_g, gamma=0.9)
        self.scheduler_d = torch.optim.lr_scheduler.ExponentialLR(self.optim_d, gamma=0.9)

    def training_step(self, cond, wave):
        fake = self.net_g(cond)
        loss_d = (self.net_d(wave) - 1).pow(2).mean() + self.net_d(fake.detach()).pow(2).mean()
        self.optim_d.zero_grad()
        loss_d.backward()
        self.optim_d.step()
        loss_g = (self.net_d(fake) - 1).pow(2).mean() + 5 * (fake - wave).abs().mean()
        self.optim_g.zero_grad()
        loss_g.backward()
        self.optim_g.step()
        return loss_g.item()

    def on_train_epoch_end(self):
        self.scheduler_g.step()
        self.scheduler_d.step()
        print(self.optim_g.param_groups[0]["lr"])


torch.manual_seed(28)
module = VitsLightning()
for epoch in range(6):
    for _ in range(25):
        cond = torch.randn(32, 6)
        value = module.training_step(cond, torch.sin(cond @ torch.ones(6, 16) * torch.linspace(0.1, 1, 16)))
    module.on_train_epoch_end()
    print(epoch, value)
final = b"".join(t.detach().double().numpy().tobytes() for t in module.net_g.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
