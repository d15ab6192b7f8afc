"""Warm-up then cosine, counted in updates, with an inner loop of micro-steps."""

import hashlib
import math

import torch
import torch.nn as nn

torch.manual_seed(11)
max_updates, warmup, micro = 24, 4, 3


def lr_at(step):
    if step < warmup:
        return (step + 1) / warmup
    progress = min(1.0, (step - warmup) / (max_updates - warmup))
    return 0.1 + 0.45 * (1 + math.cos(math.pi * progress))


net = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
for update in range(max_updates):
    for _ in range(micro):
        x = torch.randn(16, 6)
        loss = nn.functional.mse_loss(net(x), x.roll(1, dims=1))
        (loss / micro).backward()
    opt.step()
    opt.zero_grad()
    sched.step()
    if update % 8 == 0:
        print(update, loss.item(), sched.get_last_lr())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
