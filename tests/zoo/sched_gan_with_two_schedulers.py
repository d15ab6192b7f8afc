"""A GAN with a schedule for each optimizer; the generator steps every third round, both schedules in each."""

import torch

torch.manual_seed(0)
generator, critic = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
schedulers = [torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=30) for o in (opt_g, opt_d)]
loss_fn = torch.nn.BCEWithLogitsLoss()
for i in range(30):
    real, fake = torch.randn(16, 4) + 1, generator(torch.randn(16, 4))
    opt_d.zero_grad()
    (loss_fn(critic(real), torch.ones(16, 1)) + loss_fn(critic(fake.detach()), torch.zeros(16, 1))).backward()
    opt_d.step()
    if i % 3 == 2:
        opt_g.zero_grad()
        loss_fn(critic(generator(torch.randn(16, 4))), torch.ones(16, 1)).backward()
        opt_g.step()
    for scheduler in schedulers:
        scheduler.step()
