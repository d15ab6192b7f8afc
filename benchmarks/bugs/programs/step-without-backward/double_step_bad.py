"""optimizer.step() in the helper and in the loop."""

import hashlib

import torch
from torch import nn


def backward_and_step(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(16, 3)
    loss = nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True))
    backward_and_step(loss, optimizer)
    optimizer.step()  # BUG: step-without-backward
    if step % 5 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
