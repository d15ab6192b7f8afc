"""Distance loss whose square root is not protected."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(15):
    x = torch.randn(16, 3)
    out = net(x)
    target = x.clone()
    if step >= 8:
        target[0] = out[0].detach()  # a perfect prediction: distance 0
    distance = (out - target).pow(2).sum(dim=1).sqrt()
    loss = distance.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # BUG: non-finite-step  ALSO: non-finite-loss
print(loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
