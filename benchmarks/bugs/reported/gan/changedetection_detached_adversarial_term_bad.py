"""The judgement of the generated map is detached before it enters the generator's loss."""

# kind: gan
# source: https://github.com/wangle53/CSA-CDGAN/issues/5
# changed: small networks on random pairs of images

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
net_g = nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.Sigmoid())
net_d = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(72, 1), nn.Sigmoid())
optimizer_g = torch.optim.Adam(net_g.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(net_d.parameters(), lr=2e-3, betas=(0.5, 0.999))
l_adv, l_con, l_bce = nn.MSELoss(), nn.L1Loss(), nn.BCELoss()
for step in range(60):
    before, after = torch.randn(16, 1, 8, 8), torch.randn(16, 1, 8, 8)
    gt = ((before - after).abs() > 1).float()
    fake = net_g(torch.cat([before, after], 1))
    optimizer_d.zero_grad()
    d_loss = l_bce(net_d(gt), torch.ones(16, 1)) + l_bce(net_d(fake.detach()), torch.zeros(16, 1))
    d_loss.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    pred_fake = net_d(fake)
    err_g_adv = l_adv(pred_fake.detach(), torch.ones(16, 1))  # BUG: loss-term-without-gradient, graph-cut
    err_g_con = l_con(fake, gt)
    err_g_total = 1 * err_g_adv + 10 * err_g_con  # BUG: loss-term-without-gradient, graph-cut
    err_g_total.backward()  # BUG: loss-term-without-gradient, graph-cut
    optimizer_g.step()
print(err_g_total.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net_g.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
