"""The weights are repeated as the predictions are."""

# kind: loss
# source: https://github.com/HannesStark/boltzgen/pull/230
# changed: atoms are random points; two copies of each molecule with different noise

import hashlib

import torch
from torch import nn

class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.SiLU(), nn.Linear(64, 3))

    def forward(self, noisy, sigma):
        level = sigma.log()[:, None, None].expand(-1, noisy.shape[1], 1)
        return self.net(torch.cat([noisy, level], -1))


def diffusion_loss(net, coords, fake_weight, multiplicity):
    coords = coords.repeat_interleave(multiplicity, 0)
    sigma = torch.rand(len(coords)) + 0.2
    noisy = coords + sigma[:, None, None] * torch.randn_like(coords)
    error = ((net(noisy, sigma) - coords) ** 2).sum(-1)
    weights = fake_weight.repeat_interleave(multiplicity, 0)
    return ((error * weights).sum(-1) / weights.sum(-1)).mean()


torch.manual_seed(16)
net = Denoiser()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(160):
    coords = torch.randn(4, 10, 3)
    fake_weight = torch.where(torch.rand(4, 10) < 0.3, 0.1, 1.0)
    loss = diffusion_loss(net, coords, fake_weight, multiplicity=2)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        print(step, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
