"""The loop calls backward, the scheduler and zero_grad, and never the optimizer."""

# kind: accumulation
# source: https://github.com/tedlasai/learn2refocus/issues/5
# changed: a small network in place of a video model

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
unet = nn.Sequential(nn.Linear(10, 40), nn.SiLU(), nn.Linear(40, 10))
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
max_train_steps = 100
lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 10))
latents = torch.randn(400, 10)

for step in range(max_train_steps):
    clean = latents[torch.randint(0, 400, (16,))]
    noise = torch.randn_like(clean)
    sigma = torch.rand(16, 1)
    model_pred = unet(clean + sigma * noise)
    loss = F.mse_loss(model_pred, clean)
    loss.backward()  # BUG: scheduler-before-optimizer, optimizer-never-steps
    lr_scheduler.step()  # BUG: scheduler-before-optimizer, optimizer-never-steps
    optimizer.zero_grad()
    if step % 25 == 0:
        print(step, loss.item(), lr_scheduler.get_last_lr()[0])
final = b"".join(t.detach().float().numpy().tobytes() for t in unet.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
