"""The optimizer of the discriminators gets one of them twice, and the other not at all."""

# kind: gan
# source: https://github.com/line/open-universe/issues/5
# changed: short waves in place of speech; a set removes what stands twice

import hashlib
import torch
from torch import nn

torch.manual_seed(1)
gen = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 24))
mrd = nn.Sequential(nn.Linear(24, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
mpd = nn.Sequential(nn.Conv1d(1, 8, 3, 3), nn.LeakyReLU(0.1), nn.Flatten(), nn.Linear(64, 1))
params_disc = {*mrd.parameters(), *mpd.parameters()}
opt_g = torch.optim.AdamW(gen.parameters(), lr=1e-3)
opt_d = torch.optim.AdamW(sorted(params_disc, key=id), lr=1e-3, foreach=False)


def scores(wave):
    return mrd(wave), mpd(wave.unsqueeze(1))


for step in range(100):
    phase = torch.rand(16, 1) * 6.28
    real = torch.sin(phase + torch.arange(24) * 0.4)
    fake = gen(torch.cat([phase.cos(), phase.sin(), torch.randn(16, 6)], 1))
    loss_d = sum((r - 1).square().mean() for r in scores(real)) + sum(f.square().mean() for f in scores(fake.detach()))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = sum((f - 1).square().mean() for f in scores(fake)) + (fake - real).abs().mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    mpd.zero_grad()
    mrd.zero_grad()
print(loss_d.item(), loss_g.item())

weights = b"".join(p.detach().numpy().tobytes() for p in mpd.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
