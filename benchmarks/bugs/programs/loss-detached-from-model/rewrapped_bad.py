"""The loss is put into a new tensor before backward."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(16, 4)
    y = x.sum(dim=1, keepdim=True)
    losses = [nn.functional.mse_loss(model(a), b) for a, b in zip(x.chunk(2), y.chunk(2))]
    loss = torch.tensor([value.item() for value in losses], requires_grad=True).mean()  # BUG: loss-detached-from-model
    optimizer.zero_grad()
    loss.backward()  # BUG: loss-detached-from-model, backward-misses-optimizer
    optimizer.step()  # BUG: loss-detached-from-model, backward-misses-optimizer, step-without-backward
    if step % 5 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
