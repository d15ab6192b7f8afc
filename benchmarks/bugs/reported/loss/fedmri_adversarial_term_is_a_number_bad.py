"""The adversarial term was turned into a number to save memory."""

# kind: loss
# source: https://github.com/guopengf/FL-MRCM/issues/10
# changed: a small reconstruction network with a discriminator over its features
# gap: the term is a plain number that went through detach(), which programs write on purpose

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 12))
disc = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(net.parameters(), lr=2e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
history = []
for i in range(100):
    masked = torch.randn(24, 12)
    full = masked.cumsum(1) / 3
    other = torch.randn(24, 12) + 1

    feats, feats_other = net[:2](masked), net[:2](other)
    loss_d = bce(disc(feats.detach()), torch.ones(24, 1)) + bce(disc(feats_other.detach()), torch.zeros(24, 1))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    feats, feats_other = net[:2](masked), net[:2](other)
    loss_rec = nn.functional.l1_loss(net[2](feats), full)
    loss_adv_g = bce(disc(feats_other), torch.ones(24, 1))
    loss_adv_g = loss_adv_g.detach().item()  # BUG: loss-term-without-gradient
    history.append(loss_adv_g)
    loss_g = loss_rec + 0.1 * loss_adv_g  # BUG: loss-term-without-gradient
    opt_g.zero_grad()
    loss_g.backward()  # BUG: loss-term-without-gradient
    opt_g.step()
print(loss_rec.item(), history[-1])
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
