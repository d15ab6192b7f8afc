"""NLLLoss on raw outputs."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3))
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(25):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(dim=1)
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # BUG: logits-into-nll-loss
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
