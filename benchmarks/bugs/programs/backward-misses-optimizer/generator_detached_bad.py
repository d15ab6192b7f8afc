"""The generator's loss is computed from detached samples."""

import hashlib

import torch
from torch import nn

torch.manual_seed(59)
generator = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()

for step in range(24):
    real = torch.randn(20, 2) * 0.5 + 1.0
    fake = generator(torch.randn(20, 3))

    d_optimizer.zero_grad()
    d_loss = bce(discriminator(real), torch.ones(20, 1)) + bce(discriminator(fake.detach()), torch.zeros(20, 1))
    d_loss.backward()
    d_optimizer.step()

    g_optimizer.zero_grad()
    g_loss = bce(discriminator(fake.detach()), torch.ones(20, 1))
    g_loss.backward()  # BUG: backward-misses-optimizer  ALSO: graph-cut
    g_optimizer.step()  # BUG: backward-misses-optimizer
    if step % 8 == 0:
        print(step, d_loss.item(), g_loss.item())

models = (generator, discriminator)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
