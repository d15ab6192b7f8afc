"""GAN without detach: the generator's gradients of the discriminator's loss are cleared before its own backward."""

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
for _ in range(15):
    opt_d.zero_grad()
    loss_d = bce(D(torch.randn(16, 2)), torch.ones(16, 1)) + bce(D(G(torch.randn(16, 2))), torch.zeros(16, 1))
    loss_d.backward()
    opt_d.step()
    opt_g.zero_grad()
    opt_d.zero_grad()
    bce(D(G(torch.randn(16, 2))), torch.ones(16, 1)).backward()
    opt_g.step()
