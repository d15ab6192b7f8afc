"""An exponential moving average of the loss is part of the next loss."""

import hashlib

import torch
from torch import nn

torch.manual_seed(8)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.02)
smooth = None
for step in range(40):
    x = torch.randn(16, 5)
    raw = nn.functional.mse_loss(model(x), x[:, :1] * 2)
    smooth = raw if smooth is None else 0.9 * smooth.detach() + 0.1 * raw
    opt.zero_grad()
    smooth.backward()
    opt.step()
    if step % 10 == 0:
        print(step, raw.item(), smooth.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
