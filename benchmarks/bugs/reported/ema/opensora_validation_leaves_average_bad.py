"""For validation the averaged weights are copied into the model, and never taken out again."""

# kind: ema
# source: https://github.com/PKU-YuanGroup/Open-Sora-Plan/issues/186
# changed: the average of diffusers is written out, around a small denoiser
# gap: that weights are overwritten between two steps is also meant, as by a lookahead or a restart from an average

import hashlib

import torch
from torch import nn

class EMAModel:
    def __init__(self, parameters, decay=0.99):
        self.shadow = [p.detach().clone() for p in parameters]
        self.decay = decay
        self.kept = None

    @torch.no_grad()
    def step(self, parameters):
        for s, p in zip(self.shadow, parameters):
            s.sub_((1 - self.decay) * (s - p))

    def store(self, parameters):
        self.kept = [p.detach().clone() for p in parameters]

    def copy_to(self, parameters):
        for s, p in zip(self.shadow, parameters):
            p.data.copy_(s)

    def restore(self, parameters):
        for k, p in zip(self.kept, parameters):
            p.data.copy_(k)


@torch.no_grad()
def validate(model, ema, data):
    ema.store(model.parameters())
    ema.copy_to(model.parameters())  # BUG: weights-not-restored
    model.eval()
    loss = denoising_loss(model, data)
    model.train()
    return loss.item()


def denoising_loss(model, clean):
    t = torch.rand(len(clean), 1)
    noise = torch.randn_like(clean)
    noisy = (1 - t) * clean + t * noise
    return nn.functional.mse_loss(model(torch.cat([noisy, t], 1)), noise - clean)


torch.manual_seed(3)
held_out = torch.randn(128, 8) @ torch.randn(8, 8)
model = nn.Sequential(nn.Linear(9, 64), nn.SiLU(), nn.Linear(64, 8))
ema = EMAModel(model.parameters())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(1, 241):
    clean = torch.randn(64, 8) * torch.linspace(0.2, 2, 8)
    loss = denoising_loss(model, clean)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    ema.step(model.parameters())
    if step % 60 == 0:
        print(step, loss.item(), validate(model, ema, held_out))  # BUG: weights-not-restored
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
