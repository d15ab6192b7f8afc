"""The scheduler advances with every micro-batch, the optimizer with every fourth."""

# kind: schedule
# source: https://github.com/starVLA/starVLA/pull/210
# changed: the accelerator is written out; a small regressor in place of a robot policy

import hashlib
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 32), nn.Tanh(), nn.Linear(32, 7))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
gradient_accumulation_steps, max_train_steps = 4, 50
lr_scheduler = CosineAnnealingLR(optimizer, T_max=max_train_steps)
mixing = torch.randn(7, 7) / 3

micro = completed = 0
while completed < max_train_steps:
    micro += 1
    sync_gradients = micro % gradient_accumulation_steps == 0
    obs = torch.randn(16, 7)
    action_loss = nn.functional.mse_loss(model(obs), obs @ mixing)
    (action_loss / gradient_accumulation_steps).backward()
    if sync_gradients:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        completed += 1
    lr_scheduler.step()  # BUG: schedule-counts-micro-batches  ALSO: scheduler-before-optimizer
print(action_loss.item(), optimizer.param_groups[0]["lr"])
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
