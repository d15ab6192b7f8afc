"""The discriminator's step uses what the generator's loss left in its gradients."""

# kind: gan
# source: https://github.com/GaParmar/img2img-turbo/issues/56
# changed: small networks on vectors; one direction of the cycle

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
disc = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizer_gen = torch.optim.AdamW(gen.parameters(), lr=5e-4)
optimizer_disc = torch.optim.AdamW(disc.parameters(), lr=5e-4)
bce = nn.functional.binary_cross_entropy_with_logits
for step in range(80):
    source, real = torch.randn(32, 8), torch.randn(32, 8) * 0.5 + 1
    fake = gen(source)
    loss_rec = nn.functional.l1_loss(fake, source) * 2
    loss_rec.backward()
    optimizer_gen.step()
    optimizer_gen.zero_grad()
    score = disc(gen(source))
    loss_gan = bce(score, torch.ones_like(score)) * 0.5
    loss_gan.backward()
    torch.nn.utils.clip_grad_norm_(gen.parameters(), 10.0)
    optimizer_gen.step()
    optimizer_gen.zero_grad()
    fake_score, real_score = disc(gen(source).detach()), disc(real)
    loss_d = bce(fake_score, torch.zeros_like(fake_score)) + bce(real_score, torch.ones_like(real_score))
    loss_d.backward()
    optimizer_disc.step()  # BUG: gradient-leak-between-optimizers
    optimizer_disc.zero_grad()
print(loss_rec.item(), loss_d.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in gen.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
