"""Ten small networks are kept in a ModuleList."""

# kind: parameters
# source: https://github.com/LianpoWang/SLIIF/issues/13
# changed: coordinates and colours of a made-up image

import hashlib

import torch
from torch import nn

class ResMLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, x):
        return x + self.net(x)


class ResMLPs(nn.Module):
    def __init__(self, in_dim, out_dim, width):
        super().__init__()
        self.coord = nn.Linear(in_dim, width)
        self.mlps = nn.ModuleList(ResMLP(width) for _ in range(10))
        self.expansion = nn.Linear(in_dim, 10)
        self.out = nn.Linear(width, out_dim)

    def forward(self, coord):
        weights = self.expansion(coord).softmax(-1)
        hidden = self.coord(coord)
        mixed = sum(weights[:, i : i + 1] * mlp(hidden) for i, mlp in enumerate(self.mlps))
        return self.out(mixed)


torch.manual_seed(1)
coord = torch.rand(2048, 2) * 2 - 1
colour = torch.stack([torch.sin(3 * coord[:, 0]), torch.cos(2 * coord[:, 1]), coord.prod(-1)], -1)
net = ResMLPs(2, 3, 24)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for it in range(200):
    pick = torch.randint(0, 2048, (128,))
    loss = nn.functional.l1_loss(net(coord[pick]), colour[pick])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        print(it, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
