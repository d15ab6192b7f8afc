"""A GAN whose helper clips both models after every backward: one of them always holds old gradients, or none."""

import torch

torch.manual_seed(0)
generator, discriminator = torch.nn.Linear(4, 2), torch.nn.Linear(2, 1)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
bce = torch.nn.functional.binary_cross_entropy_with_logits


def clip_all() -> None:
    for model in (generator, discriminator):
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)


for step in range(15):
    fake = generator(torch.randn(8, 4))
    if step % 3 == 2:
        discriminator.requires_grad_(False)
        opt_g.zero_grad()
        bce(discriminator(fake), torch.ones(8, 1)).backward()
        clip_all()
        opt_g.step()
        discriminator.requires_grad_(True)
    else:
        opt_d.zero_grad()
        on_real = bce(discriminator(torch.randn(8, 2)), torch.ones(8, 1))
        (on_real + bce(discriminator(fake.detach()), torch.zeros(8, 1))).backward()
        clip_all()
        opt_d.step()
