"""The cosine gets the number of warm-up steps for its length."""

# kind: schedule
# source: https://github.com/lucidrains/imagen-pytorch/issues/71
# changed: warm-up is left out, and a small denoiser takes the place of the U-Net

import hashlib
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR


class ImagenTrainer:
    def __init__(self, unet, lr=2e-3, warmup_steps=20, cosine_decay_max_steps=None):
        self.unet = unet
        self.optim = torch.optim.Adam(unet.parameters(), lr=lr)
        self.scheduler = None
        if cosine_decay_max_steps is not None:
            self.scheduler = CosineAnnealingLR(self.optim, T_max=warmup_steps)  # BUG: learning-rate-rises-again

    def update(self, images):
        t = torch.rand(len(images), 1)
        noise = torch.randn_like(images)
        pred = self.unet(torch.cat([(1 - t) * images + t * noise, t], dim=1))
        loss = nn.functional.mse_loss(pred, noise)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        if self.scheduler is not None:
            self.scheduler.step()  # BUG: learning-rate-rises-again
        return loss.item()


torch.manual_seed(0)
trainer = ImagenTrainer(nn.Sequential(nn.Linear(13, 48), nn.SiLU(), nn.Linear(48, 12)), cosine_decay_max_steps=120)
images = torch.randn(256, 12).cumsum(1) / 3
for step in range(120):
    loss = trainer.update(images[torch.randint(0, 256, (32,))])
print(loss)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.unet.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
