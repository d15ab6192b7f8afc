"""The gate has the shape of the losses."""

# kind: loss
# source: https://github.com/prob-ml/bliss/pull/1063
# changed: random sources with fluxes and a flag that says whether they count

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
tiles = torch.randn(600, 7)
catalog = {"flux": torch.exp(tiles[:, 0] / 2), "on": (torch.rand(600, 1) < 0.3).float()}
net = nn.Sequential(nn.Linear(7, 40), nn.ReLU(), nn.Linear(40, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)


def nll(params, flux):
    loc, scale = params[:, 0], nn.functional.softplus(params[:, 1]) + 1e-2
    return -torch.distributions.LogNormal(loc, scale).log_prob(flux)


for epoch in range(5):
    for index in torch.randperm(600).split(40):
        gating = catalog["on"][index].squeeze(-1)
        ungated_nll = nll(net(tiles[index]), catalog["flux"][index])
        loss = (ungated_nll * gating).sum() / gating.sum().clamp(min=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
