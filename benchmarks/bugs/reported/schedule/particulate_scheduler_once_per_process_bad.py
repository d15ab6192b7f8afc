"""The wrapped schedule advances once for each process at every step, so that the cosine goes up and down again."""

# kind: schedule
# source: https://github.com/RuiningLi/particulate/issues/22
# changed: one process; the wrapper of the library is written out

import hashlib
import torch
from torch import nn


class AcceleratedScheduler:
    def __init__(self, scheduler, num_processes, split_batches):
        self.scheduler, self.num_processes, self.split_batches = scheduler, num_processes, split_batches

    def step(self):
        if self.split_batches:
            self.scheduler.step()
            return
        for _ in range(self.num_processes):
            self.scheduler.step()  # BUG: learning-rate-rises-again


torch.manual_seed(0)
max_steps = 120
model = nn.Sequential(nn.Linear(6, 48), nn.SiLU(), nn.Linear(48, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=max_steps)  # BUG: learning-rate-rises-again
scheduler = AcceleratedScheduler(cosine, num_processes=8, split_batches=False)  # BUG: learning-rate-rises-again
for step in range(max_steps):
    points = torch.randn(32, 6)
    loss = nn.functional.mse_loss(model(points), points[:, :3] * points[:, 3:])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()  # BUG: learning-rate-rises-again
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
