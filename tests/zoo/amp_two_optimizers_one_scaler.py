"""A GAN in fp16: two optimizers share one scaler, one update per round; the scaled losses are scaled together."""

import torch

torch.manual_seed(0)
generator = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
discriminator = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
bce = torch.nn.functional.binary_cross_entropy_with_logits
for _ in range(12):
    real = torch.randn(16, 2) + 1
    opt_d.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        fake = generator(torch.randn(16, 2))
        on_real = bce(discriminator(real), torch.ones(16, 1))
        on_fake = bce(discriminator(fake.detach()), torch.zeros(16, 1))
    scaled = scaler.scale([on_real, on_fake])
    sum(scaled).backward()
    scaler.unscale_(opt_d)
    torch.nn.utils.clip_grad_norm_(discriminator.parameters(), 1.0)
    scaler.step(opt_d)

    opt_g.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = bce(discriminator(fake), torch.ones(16, 1))
    scaler.scale(loss).backward()
    scaler.step(opt_g)
    scaler.update()
