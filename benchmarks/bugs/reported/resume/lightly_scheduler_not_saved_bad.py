"""The checkpoint has model and optimizer, the schedule starts at its beginning again."""

# kind: resume
# source: https://github.com/lightly-ai/lightly-train/pull/301
# changed: a polynomial decay with warm-up written as a lambda; both runs in one script
# gap: the checkpoint holds no schedule that could be missed, and a new one may be meant

import hashlib
import io

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

TOTAL, WARMUP = 120, 10


def build():
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    scheduler = LambdaLR(optimizer, lambda s: min((s + 1) / WARMUP, (1 - s / TOTAL) ** 0.9 + 1e-3))  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume  ALSO: schedule-never-finishes
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, first, last):
    for step in range(first, last):
        x = torch.randn(32, 8)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume  ALSO: schedule-never-finishes
    print(last, loss.item(), scheduler.get_last_lr())


torch.manual_seed(0)
model, optimizer, scheduler = build()
train(model, optimizer, scheduler, 0, 60)
buffer = io.BytesIO()
state = {"train_model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 60}
torch.save(state, buffer)

# the job is interrupted here, and goes on
buffer.seek(0)
state = torch.load(buffer)
model, optimizer, scheduler = build()
model.load_state_dict(state["train_model"])
optimizer.load_state_dict(state["optimizer"])  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume  ALSO: schedule-never-finishes
train(model, optimizer, scheduler, state["step"], TOTAL)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
