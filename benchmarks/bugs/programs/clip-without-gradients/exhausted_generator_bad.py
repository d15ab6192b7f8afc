"""model.parameters() stored in a variable and used twice."""

import hashlib

import torch
from torch import nn

torch.manual_seed(61)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
params = model.parameters()
optimizer = torch.optim.AdamW(params, lr=2e-3)
loss_fn = nn.CrossEntropyLoss()

for step in range(24):
    x = torch.randn(32, 6)
    y = (x.sum(dim=1) > 0).long()
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(params, max_norm=1.0)  # BUG: clip-without-gradients
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
