"""create_graph=True left over from an experiment."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(30):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.mean(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(create_graph=True)  # BUG: create-graph-left-on
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
