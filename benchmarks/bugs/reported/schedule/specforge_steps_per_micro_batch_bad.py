"""The schedule counts micro-batches, and updates come once in four of them."""

# kind: schedule
# source: https://github.com/sgl-project/SpecForge/issues/364
# changed: a small draft head distils random features; the optimizer class steps the schedule

import hashlib
import math

import torch
from torch import nn

class BF16Optimizer:
    def __init__(self, model, lr, total_steps, warmup_ratio=0.1):
        self.inner = torch.optim.AdamW(model.parameters(), lr=lr)
        warmup = int(total_steps * warmup_ratio)

        def shape(step):
            if step < warmup:
                return (step + 1) / warmup
            return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total_steps - warmup))))

        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.inner, shape)
        self.model = model

    def step(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.inner.step()
        self.inner.zero_grad()


class Config:
    accumulation_steps = 4
    epochs = 4
    micro_batches = 48


def run(config):
    torch.manual_seed(4)
    draft = nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Linear(48, 20))
    teacher = nn.Linear(12, 20)
    total = config.epochs * config.micro_batches // config.accumulation_steps
    optimizer = BF16Optimizer(draft, 3e-3, total)
    global_step = 0
    for epoch in range(config.epochs):
        for _ in range(config.micro_batches):
            global_step += 1
            hidden = torch.randn(16, 12)
            with torch.no_grad():
                target = teacher(hidden).softmax(-1)
            loss = -(target * draft(hidden).log_softmax(-1)).sum(-1).mean() / config.accumulation_steps
            loss.backward()
            optimizer.scheduler.step()  # BUG: schedule-counts-micro-batches  ALSO: zero-learning-rate
            if global_step % config.accumulation_steps == 0:
                optimizer.step()
        print(epoch, loss.item(), optimizer.scheduler.get_last_lr())
    return draft


draft = run(Config())
final = b"".join(t.detach().double().numpy().tobytes() for t in draft.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
