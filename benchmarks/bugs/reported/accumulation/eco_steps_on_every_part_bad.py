"""The optimizer steps on each part of a window, and again when the window is full."""

# kind: accumulation
# source: https://github.com/mzolfaghari/ECO-pytorch/pull/1
# changed: short clips of random frames; the loss is divided by the length of the window

import hashlib
import torch
from torch import nn

iter_size = 4
torch.manual_seed(1)
model = nn.Sequential(nn.Conv3d(1, 6, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(6, 3))
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, nesterov=True)
criterion = nn.CrossEntropyLoss()
loss_sum = 0.0
optimizer.zero_grad()
for i in range(160):
    target = torch.randint(3, (4,))
    clip = torch.randn(4, 1, 4, 6, 6) + target[:, None, None, None, None] - 1.0
    loss = criterion(model(clip), target) / iter_size
    loss_sum += loss.item()
    loss.backward()
    if (i + 1) % iter_size == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 50)
        optimizer.step()  # BUG: stale-gradients, step-without-backward
        optimizer.zero_grad()
    optimizer.step()  # BUG: stale-gradients, step-without-backward
print(loss_sum / 160)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
