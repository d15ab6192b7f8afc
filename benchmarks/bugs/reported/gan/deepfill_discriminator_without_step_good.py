"""The discriminator's optimizer steps."""

# kind: gan
# source: https://github.com/zhaoyuzhi/deepfillv2/issues/6
# changed: vectors with holes in place of images; one generator stage

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(24, 48), nn.ELU(), nn.Linear(48, 12))
discriminator = nn.Sequential(nn.Linear(24, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
for batch_idx in range(120):
    img = torch.randn(16, 12).cumsum(1) / 3
    mask = (torch.rand(16, 12) < 0.3).float()
    out = generator(torch.cat([img * (1 - mask), mask], 1))
    wholeimg = img * (1 - mask) + out * mask

    optimizer_d.zero_grad()
    fake_scalar = discriminator(torch.cat([wholeimg.detach(), mask], 1))
    true_scalar = discriminator(torch.cat([img, mask], 1))
    loss_d = torch.relu(1 - true_scalar).mean() + torch.relu(1 + fake_scalar).mean()
    loss_d.backward()
    optimizer_d.step()

    optimizer_g.zero_grad()
    l1 = (out - img).abs().mean()
    gan_loss = -discriminator(torch.cat([wholeimg, mask], 1)).mean()
    (l1 + 0.1 * gan_loss).backward()
    optimizer_g.step()
print(l1.item(), loss_d.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in discriminator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
