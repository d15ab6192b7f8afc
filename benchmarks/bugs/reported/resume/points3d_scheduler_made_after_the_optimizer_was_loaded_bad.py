"""A scheduler that is made after the optimizer's state was loaded sets the rate back to the initial one."""

# kind: resume
# source: https://github.com/torch-points3d/torch-points3d/pull/630
# changed: points of two clouds; both runs in one script

import hashlib
import io
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

BASE = 0.02


def build(seed=0):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))
    return net, torch.optim.SGD(net.parameters(), lr=BASE, momentum=0.9)


def epochs(net, opt, sched, first, last):
    for epoch in range(first, last):
        for _ in range(10):
            label = torch.randint(2, (32,))
            points = torch.randn(32, 3) + label[:, None] * 0.8
            opt.zero_grad()
            nn.functional.cross_entropy(net(points), label).backward()
            opt.step()
        sched.step()
        print(epoch, opt.param_groups[0]["lr"])


net, opt = build()
sched = LambdaLR(opt, lambda e: 0.6**e)
epochs(net, opt, sched, 0, 6)
file = io.BytesIO()
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": 6}, file)

file.seek(0)
checkpoint = torch.load(file)
model, opt = build(1)
model.load_state_dict(checkpoint["net"])
opt.load_state_dict(checkpoint["opt"])
for group in opt.param_groups:
    group["initial_lr"] = BASE
sched = LambdaLR(opt, lambda e: 0.6**e)  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume
epochs(model, opt, sched, checkpoint["epoch"], 9)

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
